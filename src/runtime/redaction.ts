/**
 * Replaces values that look like credentials before a log line is written. Callers must not pass secrets; this is a second safeguard
 * for the case that one does.
 */
import type { LogFields } from './log.ts'

export const redacted = '[redacted]'

/** Names that end in a word for a credential. `secretName` and `tokenFile` only refer to one and stay readable. */
const secretName =
  /(^|[-_.]|(?<=[a-z0-9]))(pass(word|wd|phrase)?|secret|token|authorization|cookie|credentials?|(api|private|access|secret|client)[-_]?key([-_]?data)?|kubeconfig)$/i

/** Credentials that are recognised by their form: bearer and basic headers, private keys. */
const secretValue =
  /\bBearer\s+[\w.~+/-]+=*|\bBasic\s+[A-Za-z0-9+/]{8,}=*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g

/** What a JSON web token can be part of. The token itself is not a pattern: that would take quadratic time in a text that others choose. */
const tokenRun = /[\w.-]{20,}/g

const maxDepth = 6

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

export function redact(fields: LogFields): LogFields {
  return redactObject(fields, 0)
}

export function redactText(text: string): string {
  return text.replace(secretValue, redacted).replace(tokenRun, withoutTokens)
}

/** Replaces each `eyJ….….…`: three parts of base64, the first of which begins like an object in JSON. */
function withoutTokens(run: string): string {
  const parts = run.split('.')
  const clean: string[] = []
  for (let index = 0; index < parts.length; index += 1) {
    const [head = '', payload = '', signature] = parts.slice(index, index + 3)
    const start = /\beyJ/.exec(head)?.index ?? -1
    const isToken = start !== -1 && head.length - start >= 11 && payload.length >= 8 && signature !== undefined
    clean.push(isToken ? `${head.slice(0, start)}${redacted}` : head)
    if (isToken) index += 2
  }
  return clean.join('.')
}

function redactObject(fields: LogFields, depth: number): LogFields {
  const clean: Record<string, unknown> = {}
  const isSecret = fields['kind'] === 'Secret'
  for (const [name, value] of Object.entries(fields)) {
    const holdsSecret =
      (isSecretName(name) || (isSecret && /^(data|stringData)$/.test(name))) &&
      value !== undefined &&
      value !== null &&
      typeof value !== 'boolean'
    clean[name] = holdsSecret ? redacted : redactValue(value, depth + 1)
  }
  return clean
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) return redactError(value, depth)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1))
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`
  return redactObject(value as LogFields, depth)
}

function redactError(error: Error, depth: number): LogFields {
  const { code, cause, remedy } = error as { code?: unknown; cause?: unknown; remedy?: unknown }
  return {
    name: error.name,
    message: redactText(error.message),
    ...(typeof code === 'string' && { code }),
    ...(typeof remedy === 'string' && { remedy: redactText(remedy) }),
    ...(cause !== undefined && depth <= maxDepth && { cause: redactValue(cause, depth + 1) }),
    ...(error.stack !== undefined && { stack: redactText(error.stack) }),
  }
}
