/** The table of a built-in kind, with the columns of the real API server. */
import type { TableShape } from '../resource.ts'
import type { ResourceFacts } from '../types/model.ts'
import { networkCells } from './network.ts'
import { otherCells } from './others.ts'
import { podCells } from './pods.ts'
import type { Cells } from './row.ts'
import { storageCells } from './storage.ts'
import { workloadCells } from './workloads.ts'

const cells: Readonly<Record<string, Cells>> = {
  '/Pod': podCells,
  ...workloadCells,
  ...networkCells,
  ...storageCells,
  ...otherCells,
}

/** Kinds without columns of their own show the creation time. */
const plain: Cells = (object) => [object.metadata.name, object.metadata.creationTimestamp ?? null]

export function tableOf(facts: ResourceFacts): TableShape {
  const columns = (facts.columns ?? []).map(([name, type, format, priority]) => ({
    name,
    type,
    format,
    description: '',
    priority,
  }))
  return { columns, cells: cells[`${facts.group}/${facts.kind}`] ?? plain }
}
