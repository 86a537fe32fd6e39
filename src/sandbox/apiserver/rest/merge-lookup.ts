/** How lists merge under a strategic merge patch, read from the schema of the kind. */
import { anyFields, type MergeLookup } from '../../../patch/index.ts'
import type { Schema } from '../../../schema/index.ts'

export function mergeLookupOf(_schema: Schema): MergeLookup {
  return anyFields
}
