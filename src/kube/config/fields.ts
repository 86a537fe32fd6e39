/** Reads typed fields of a kubeconfig entry; a wrong type is an error that names file, entry and field. */
import { isJsonObject, type JsonObject, textFromBase64 } from '../../runtime/index.ts'
import { type Entry, invalid, scalarText } from './kubeconfig.ts'

export interface Fields {
  text(field: string): string | undefined
  flag(field: string): boolean
  list(field: string): readonly string[]
  object(field: string): JsonObject | undefined
  /** Decoded from base64, as all `…-data` fields are. */
  data(field: string): string | undefined
  fail(field: string, problem: string, remedy?: string): Error
}

/** `kind` names the entry in errors: `cluster`, `user` or `context`. */
export function fieldsOf(kind: string, { name, file, fields }: Entry): Fields {
  const fail = (field: string, problem: string, remedy?: string) =>
    invalid(file, `${kind} "${name}": ${field}`, problem, remedy)

  function text(field: string): string | undefined {
    const value = fields[field]
    if (value === undefined || value === null || value === '') return undefined
    const text = scalarText(value)
    if (text === undefined) throw fail(field, 'is not a string')
    return text
  }

  return {
    text,
    fail,
    flag(field) {
      const value = fields[field] ?? false
      if (typeof value !== 'boolean') throw fail(field, 'is neither true nor false')
      return value
    },
    list(field) {
      const value = fields[field] ?? []
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
        throw fail(field, 'is not a list of strings')
      }
      return value as string[]
    },
    object(field) {
      const value = fields[field]
      if (value === undefined || value === null) return undefined
      if (!isJsonObject(value)) throw fail(field, 'is not a mapping')
      return value
    },
    data(field) {
      const value = text(field)
      if (value === undefined) return undefined
      try {
        return textFromBase64(value)
      } catch {
        throw fail(field, 'is not base64')
      }
    },
  }
}
