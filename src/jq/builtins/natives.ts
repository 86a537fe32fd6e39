/**
 * The table of all functions written in TypeScript.
 */
import type { Native } from '../compile/machine.ts'
import { dateFunctions } from '../dates/functions.ts'
import { collectionFunctions } from './collections.ts'
import { mathFunctions } from './math.ts'
import { regexFunctions } from './regex.ts'
import { stringFunctions } from './strings.ts'
import { systemFunctions } from './system.ts'
import { valueFunctions } from './value.ts'

export const nativeFunctions: Readonly<Record<string, Native | undefined>> = {
  ...valueFunctions,
  ...collectionFunctions,
  ...stringFunctions,
  ...mathFunctions,
  ...regexFunctions,
  ...dateFunctions,
  ...systemFunctions,
}
