/** Which validation a built-in kind has. */
import type { Strategy } from '../resource.ts'
import { validateDefinition } from './definitions.ts'

type Validator = Strategy['validate']

const validators: Readonly<Record<string, Validator>> = {
  'apiextensions.k8s.io/CustomResourceDefinition': validateDefinition,
}

export function validatorOf(group: string, kind: string): Validator {
  return validators[`${group}/${kind}`] ?? (() => [])
}
