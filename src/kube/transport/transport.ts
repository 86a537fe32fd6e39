/**
 * How requests reach an API server. Two forms: over the network with a kubeconfig's credentials, and straight into a handler in the
 * same process. Nothing above this line knows which one it has.
 */
import type { HttpRequest, HttpResponse } from '../../runtime/http.ts'

export interface Transport {
  /** Unary requests: the answer's body is whole. */
  send(request: HttpRequest): Promise<HttpResponse & { readonly body: Uint8Array }>
  /** Streaming requests (watch, logs): resolves with the headers, the body comes as it arrives. */
  open(request: HttpRequest): Promise<HttpResponse & { readonly body: AsyncIterable<Uint8Array> }>
  close(): Promise<void>
}
