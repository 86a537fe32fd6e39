/** Lists the differences between expected and actual values. Additional fields are ignored. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'

export function differences(expected: Json, found: Json | undefined, path: string): readonly string[] {
  if (isJsonObject(expected) && isJsonObject(found ?? null))
    return Object.entries(expected).flatMap(([field, value]) =>
      differences(value, (found as Readonly<Record<string, Json>>)[field], `${path}.${field}`),
    )
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length)
    return expected.flatMap((value: Json, index) => differences(value, found[index], `${path}[${index}]`))
  if (JSON.stringify(expected) === JSON.stringify(found)) return []
  return [
    `${path}: expected ${JSON.stringify(expected)}, found ${found === undefined ? 'nothing' : JSON.stringify(found)}`,
  ]
}
