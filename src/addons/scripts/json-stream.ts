/**
 * JSON values one after the other, as programs print them: with or without lines between them.
 */
import { JsonParser } from '../../jq/index.ts'
import { toPlain } from '../../jq/values/plain.ts'
import type { Json } from '../../runtime/json.ts'

export function readJsonStream(text: string): Json[] {
  const parser = new JsonParser(text)
  const values: Json[] = []
  for (let value = parser.next(); value !== undefined; value = parser.next()) values.push(toPlain(value))
  return values
}
