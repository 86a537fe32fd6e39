/** Export keys are paths: `a.b` sets the field `b` of the object `a`, and objects from several exports are merged. */
import { isJsonObject, type Json } from '../../runtime/index.ts'

export function nested(
  values: readonly { readonly key: string; readonly value: Json }[],
): Readonly<Record<string, Json>> {
  let result: Readonly<Record<string, Json>> = {}
  for (const { key, value } of values) {
    const merged = merge(result, wrap(key.split('.'), value))
    if (isJsonObject(merged)) result = merged
  }
  return result
}

function wrap([first, ...rest]: readonly string[], value: Json): Json {
  return first === undefined ? value : { [first]: wrap(rest, value) }
}

/** Like a merge patch, but a null value is kept. */
function merge(into: Json | undefined, value: Json): Json {
  if (!isJsonObject(into) || !isJsonObject(value)) return value
  const result: Record<string, Json> = { ...into }
  for (const [key, below] of Object.entries(value)) result[key] = merge(result[key], below)
  return result
}
