/** Finds credentials in values, to redact them in helm's output, which quotes parts of refused objects. */
import { isJsonObject, isSecretName, type Json } from '../../../runtime/index.ts'

/** Every string under a key that names a credential. */
export function secretsIn(values: Json): readonly string[] {
  const found = new Set<string>()
  collect(values, found)
  return [...found]
}

function collect(value: Json, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) collect(item, found)
  } else if (isJsonObject(value)) {
    for (const [name, below] of Object.entries(value)) {
      if (isSecretName(name)) addStrings(below, found)
      else collect(below, found)
    }
  }
}

function addStrings(value: Json, found: Set<string>): void {
  if (typeof value === 'string') found.add(value)
  else if (Array.isArray(value)) for (const item of value as readonly Json[]) addStrings(item, found)
  else if (isJsonObject(value)) for (const below of Object.values(value)) addStrings(below, found)
}
