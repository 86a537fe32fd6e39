/** Values that must not be read in what helm says: it repeats parts of objects that the cluster refuses. */
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import { isSecretName } from '../../../runtime/redaction.ts'

/** Every text under a name that speaks of a credential. */
export function secretsIn(values: Json): readonly string[] {
  const found = new Set<string>()
  collect(values, false, found)
  return [...found]
}

function collect(value: Json, isSecret: boolean, found: Set<string>): void {
  if (typeof value === 'string') {
    if (isSecret) found.add(value)
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) collect(item, isSecret, found)
  } else if (isJsonObject(value)) {
    for (const [name, below] of Object.entries(value)) collect(below, isSecret || isSecretName(name), found)
  }
}
