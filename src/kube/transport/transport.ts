/**
 * The interface to an API server. It has two implementations: over the network with the credentials of a kubeconfig, and into a handler in the same
 * process.
 */
import type { HttpRequest, HttpResponse } from '../../runtime/index.ts'

/** Called when a body begins, and again when the request is retried; returns the receiver of its chunks. */
export type Receive = () => (chunk: Uint8Array) => Promise<void>

export interface Transport {
  /**
   * Unary requests: the response has its whole body. With `receive` a transport may pass the body of a successful response on while it
   * arrives, and then returns an empty one.
   */
  send(request: HttpRequest, receive?: Receive): Promise<HttpResponse & { readonly body: Uint8Array }>
  /** Streaming requests (watch, logs): resolves with the headers, the body comes as it arrives. */
  open(request: HttpRequest): Promise<HttpResponse & { readonly body: AsyncIterable<Uint8Array> }>
  close(): Promise<void>
}
