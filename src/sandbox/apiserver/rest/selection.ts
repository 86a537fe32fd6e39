/** The selector of a list, watch or collection delete. */
import type { ApiObject } from '../object.ts'
import { exactName, matchesFields, parseFieldSelector } from '../selectors/fields.ts'
import { matchesLabels, parseLabelSelector } from '../selectors/labels.ts'
import type { ResourceRequest } from './request.ts'

export interface Selection {
  /** True when there is no filter besides the namespace. */
  readonly isUnfiltered: boolean
  /** Set when the selector matches exactly one name. */
  readonly name: string | undefined
  matches(object: ApiObject): boolean
}

/** Matches stored objects: labels and selectable fields do not differ between versions. */
export function selectionOf(request: ResourceRequest): Selection {
  const { query, resource } = request
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', resource)
  return {
    isUnfiltered: labels.length === 0 && fields.length === 0,
    name: exactName(fields),
    matches: (object) =>
      (labels.length === 0 || matchesLabels(labels, object.metadata.labels)) &&
      (fields.length === 0 || matchesFields(fields, resource, object)),
  }
}
