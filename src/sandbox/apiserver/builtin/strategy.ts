/**
 * The rules every built-in kind shares: what a write to the object may not touch, what a write to `status` may, and how the
 * generation counts. Fields, defaults and validation of each kind come from the type model.
 */

import { type ApiObject, at, withField, withMetadata } from '../object.ts'
import type { Strategy } from '../resource.ts'
import { equal } from '../storage/share.ts'
import type { CatalogueEntry } from './catalogue.ts'

export function builtinStrategy(entry: CatalogueEntry): Strategy {
  const hasStatus = entry.subresources.some(({ name }) => name === 'status')
  return {
    schema: {},
    decode: (body) => ({ object: body as ApiObject, faults: [] }),
    default: (object) => object,
    prepareForCreate(object) {
      const stripped = hasStatus ? withField(object, 'status', undefined) : object
      return withMetadata(stripped, { generation: entry.generation ? 1 : undefined })
    },
    prepareForUpdate(object, old, subresource) {
      if (subresource === 'status') return statusUpdate(object, old)
      const kept = hasStatus ? withField(object, 'status', old['status']) : object
      return withMetadata(kept, { generation: entry.generation ? nextGeneration(kept, old) : undefined })
    },
    validate: () => [],
    validateName: () => [],
    selectableFields: {},
    table: {
      columns: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
      ],
      cells: (object) => [object.metadata.name, object.metadata.creationTimestamp ?? null],
    },
  }
}

/** Everything but the status and some metadata comes from the old object. */
function statusUpdate(object: ApiObject, old: ApiObject): ApiObject {
  return withMetadata(withField({ ...old, metadata: object.metadata }, 'status', object['status']), {
    generation: old.metadata.generation,
  })
}

function nextGeneration(object: ApiObject, old: ApiObject): number {
  const before = old.metadata.generation ?? 1
  const fields = new Set([...Object.keys(object), ...Object.keys(old)])
  for (const field of fields) {
    if (field === 'metadata' || field === 'status' || field === 'apiVersion' || field === 'kind') continue
    if (!equal(at(object, field), at(old, field))) return before + 1
  }
  return before
}
