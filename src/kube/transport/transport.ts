/**
 * How requests reach an API server. Two forms: over the network with a kubeconfig's credentials, and straight into a handler in the
 * same process. Nothing above this line knows which one it has.
 */
import type { HttpRequest, HttpResponse } from '../../runtime/http.ts'

/** Called when a body begins, and again when the request had to be repeated; the answer takes its parts. */
export type Receive = () => (chunk: Uint8Array) => Promise<void>

export interface Transport {
  /**
   * Unary requests: the answer's body is whole. With `receive` a transport may hand the body of a good answer over while it arrives, and
   * then answers with an empty one.
   */
  send(request: HttpRequest, receive?: Receive): Promise<HttpResponse & { readonly body: Uint8Array }>
  /** Streaming requests (watch, logs): resolves with the headers, the body comes as it arrives. */
  open(request: HttpRequest): Promise<HttpResponse & { readonly body: AsyncIterable<Uint8Array> }>
  close(): Promise<void>
}
