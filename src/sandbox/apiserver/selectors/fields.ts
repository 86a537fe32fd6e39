/** Field selectors: `metadata.name=a,spec.nodeName!=b`, for the fields a kind supports. */
import type { ApiObject } from '../object.ts'
import type { ServedResource } from '../resource.ts'
import { badRequest } from '../status/status-error.ts'

export interface FieldTerm {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

export function parseFieldSelector(text: string, resource: ServedResource): readonly FieldTerm[] {
  const terms = split(text).map(termOf)
  for (const { field } of terms) {
    if (field === 'metadata.name' || field === 'metadata.namespace') continue
    const { selectableFields } = resource.strategy
    if (Object.hasOwn(selectableFields, field)) continue
    throw badRequest(
      Object.keys(selectableFields).length === 0 && resource.itemsNameKind !== true
        ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    )
  }
  return terms
}

export function matchesFields(terms: readonly FieldTerm[], resource: ServedResource, object: ApiObject): boolean {
  return terms.every(({ field, equal, value }) => (fieldOf(field, resource, object) === value) === equal)
}

function fieldOf(field: string, resource: ServedResource, object: ApiObject): string {
  if (field === 'metadata.name') return object.metadata.name
  if (field === 'metadata.namespace') return object.metadata.namespace ?? ''
  return resource.strategy.selectableFields[field]?.(object) ?? ''
}

/** The name an exact metadata.name term selects, which allows a lookup by key. */
export function exactName(terms: readonly FieldTerm[]): string | undefined {
  return terms.find(({ field, equal }) => field === 'metadata.name' && equal)?.value
}

function split(text: string): readonly string[] {
  return [...text.matchAll(/(?:\\.|[^,\\])+/g)].map(([term]) => term)
}

function termOf(term: string): FieldTerm {
  const found = /^((?:\\.|[^=!\\])*?)(!=|==|=)(.*)$/s.exec(term)
  if (found === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`)
  return { field: found[1] ?? '', equal: found[2] !== '!=', value: unescaped(found[3] ?? '') }
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([\\,=])/g, '$1')
}
