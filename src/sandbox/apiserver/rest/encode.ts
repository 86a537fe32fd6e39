/** From an answer to bytes. */
import type { HttpResponse } from '../../../runtime/http.ts'
import { type Answer, jsonResponse } from './answer.ts'
import { apiVersionOf, type ResourceRequest } from './request.ts'

export function encodeAnswer(request: ResourceRequest, answer: Answer): HttpResponse {
  const { resource } = request
  switch (answer.kind) {
    case 'response':
      return answer.response
    case 'document':
      return jsonResponse(answer.code, JSON.stringify(answer.document))
    case 'object':
      return jsonResponse(answer.code, answer.stored?.text ?? JSON.stringify(answer.object))
    case 'list': {
      const items = answer.stored?.map(({ text }) => text) ?? answer.items.map((item) => JSON.stringify(item))
      const head = `{"kind":"${resource.listKind}","apiVersion":"${apiVersionOf(resource)}","metadata":${JSON.stringify(answer.metadata)}`
      return jsonResponse(200, `${head},"items":[${items.join(',')}]}`)
    }
  }
}
