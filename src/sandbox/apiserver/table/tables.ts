/** The table of a built-in kind: the columns of the real server and what stands in them. */
import type { TableShape } from '../resource.ts'
import type { ResourceFacts } from '../types/model.ts'

export function tableOf(facts: ResourceFacts): TableShape {
  const columns = (facts.columns ?? []).map(([name, type, format, priority]) => ({
    name,
    type,
    format,
    description: '',
    priority,
  }))
  return { columns, cells: (object) => [object.metadata.name, object.metadata.creationTimestamp ?? null] }
}
