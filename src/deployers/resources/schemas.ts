/** Schemas shared by several definitions of the Landscaper group. */
import type { Schema } from '../../schema/index.ts'

export const text: Schema = { type: 'string' }
export const wholeNumber: Schema = { type: 'integer', format: 'int64' }
export const time: Schema = { type: 'string', format: 'date-time' }
export const anyJson: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

/** Requires apiVersion and kind, and keeps all other fields. */
export const embeddedResource: Schema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
}

/** A duration in Go's format, or `none`. */
export const duration: Schema = {
  type: 'string',
  maxLength: 100,
  pattern: '^(none|[+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+))$',
}

export function object(properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required: [...required] }) }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

export const objectReference = object({ name: text, namespace: text }, 'name')

const codes = listOf(text)
const moments = { lastTransitionTime: time, lastUpdateTime: time, reason: text, message: text, codes }
const always = ['lastTransitionTime', 'lastUpdateTime', 'reason', 'message']

export const lastError = object({ operation: text, ...moments }, 'operation', ...always)
export const conditions = listOf(object({ type: text, status: text, ...moments }, 'type', 'status', ...always))
