/** Formats paths in two ways: of the OpenAPI validator (`a.b[0].key`) and as field paths (`a.b[0][key]`). */
import type { SchemaNode } from './node.ts'

export type PathSegment = string | number

/** Dots for every member. */
export function openApiPath(path: readonly PathSegment[]): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else text += text === '' ? segment : `.${segment}`
  }
  return text
}

/** Brackets for members that are not properties of the schema, as in `spec.limits[cpu]`. */
export function fieldPath(path: readonly PathSegment[], root: SchemaNode): string {
  let text = ''
  let node: SchemaNode | undefined = root
  for (const segment of path) {
    if (typeof segment === 'number') {
      text += `[${segment}]`
      node = node?.items
    } else {
      const property: SchemaNode | undefined = node?.properties.get(segment)
      const additional: SchemaNode | boolean | undefined = node?.additional
      if (property === undefined && typeof additional === 'object') {
        text += `[${segment}]`
        node = additional
      } else {
        text += text === '' ? segment : `.${segment}`
        node = property
      }
    }
  }
  return text
}

/** Appends a path to a base path; `<nil>` when both are empty. */
export function joinPaths(base: string, path: string): string {
  if (path === '') return base === '' ? '<nil>' : base
  if (base === '') return path
  return path.startsWith('[') ? `${base}${path}` : `${base}.${path}`
}
