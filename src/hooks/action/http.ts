/** The action that is an HTTP request. */
import type { Schema } from '../../schema/index.ts'

export interface HttpHeader {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

/** Compiled: the request with its body. */
export interface HttpCall {
  readonly url: string
  /** @default POST */
  readonly method?: string
  readonly headers?: readonly HttpHeader[]
  readonly body: string
  /** Status codes that mean success. @default any from 200 to 299 */
  readonly expect?: { readonly codes?: readonly number[] }
  /** The bundle is PEM text in base64. */
  readonly tls?: { readonly caBundle?: string; readonly insecureSkipVerify?: boolean }
  /** Milliseconds for the whole exchange. @default the caller cancels */
  readonly timeoutMs?: number
  /** Bytes of a successful response that become the result; a longer one fails. @default 0: it is not read */
  readonly maxAnswerBytes?: number
}

const headersSchema: Schema = {
  type: 'array',
  maxItems: 32,
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 256 },
      value: { type: 'string', maxLength: 4096 },
      valueFrom: {
        type: 'object',
        required: ['secretKeyRef'],
        properties: {
          secretKeyRef: {
            type: 'object',
            required: ['name', 'key'],
            properties: { name: { type: 'string', maxLength: 253 }, key: { type: 'string', maxLength: 253 } },
          },
        },
      },
    },
    'x-kubernetes-validations': [
      { rule: 'has(self.value) != has(self.valueFrom)', message: 'a header has either value or valueFrom' },
    ],
  },
}

const urlSchema: Schema = { type: 'string', pattern: '^https?://[^\\s/?#]+([/?#]\\S*)?$', maxLength: 2048 }

export const httpSchema: Schema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: urlSchema,
    method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    headers: headersSchema,
    body: { type: 'string', maxLength: 65536 },
    expect: {
      type: 'object',
      properties: {
        codes: { type: 'array', minItems: 1, maxItems: 32, items: { type: 'integer', minimum: 100, maximum: 599 } },
      },
    },
    tls: {
      type: 'object',
      properties: { caBundle: { type: 'string', format: 'byte' }, insecureSkipVerify: { type: 'boolean' } },
    },
  },
}
