/** The result of a request handler before encoding: content negotiation happens afterwards in one place. */
import type { HttpResponse, JsonObject } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'

export type HandlerResult =
  | { readonly kind: 'object'; readonly code: number; readonly object: ApiObject }
  | { readonly kind: 'list'; readonly metadata: JsonObject; readonly items: readonly ApiObject[] }
  | { readonly kind: 'document'; readonly code: number; readonly document: JsonObject }
  | { readonly kind: 'response'; readonly response: HttpResponse }

const encoder = new TextEncoder()

export function jsonResponse(code: number, text: string, headers: Record<string, string> = {}): HttpResponse {
  return {
    status: code,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private', ...headers },
    body: encoder.encode(text),
  }
}
