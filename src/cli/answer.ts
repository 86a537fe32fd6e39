/** The response body of a running operator as text. */
import type { HttpResponse } from '../runtime/index.ts'

export async function textOf({ body }: Pick<HttpResponse, 'body'>): Promise<string> {
  const decoder = new TextDecoder()
  if (body instanceof Uint8Array) return decoder.decode(body)
  let text = ''
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}
