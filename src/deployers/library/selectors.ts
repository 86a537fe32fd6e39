/**
 * Which targets a deployer is for. Selectors are ORed; inside one, the kinds that are given are ANDed. A requirement that makes no sense
 * is an error, because a mismatch would leave items lying without a word.
 */
import { isLabelKey, isLabelValue } from '../../kube/names.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Target } from '../resources/types.ts'

export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface Requirement {
  readonly key: string
  readonly operator: SelectorOperator
  readonly values?: readonly string[]
}

export interface TargetSelector {
  /** Any of them; the namespace counts only when given. */
  readonly targets?: readonly { readonly name: string; readonly namespace?: string }[]
  /** All of them. */
  readonly annotations?: readonly Requirement[]
  /** All of them. */
  readonly labels?: readonly Requirement[]
}

/** Whether one of the selectors matches; without any, every target does. */
export function matchOne(target: Target, selectors: readonly TargetSelector[]): boolean {
  // Every requirement is looked at, so that an error does not depend on which selector comes first.
  const matches = selectors.map((selector) => matchSelector(target, selector))
  return matches.length === 0 || matches.includes(true)
}

export function matchSelector(
  { metadata }: Target,
  { targets = [], annotations = [], labels = [] }: TargetSelector,
): boolean {
  const byAnnotations = annotations.map((requirement) => holds(requirement, metadata.annotations ?? {}))
  const byLabels = labels.map((requirement) => holds(requirement, metadata.labels ?? {}))
  const isNamed = targets.some(
    ({ name, namespace }) =>
      name === metadata.name && (namespace === undefined || namespace === '' || namespace === metadata.namespace),
  )
  return (targets.length === 0 || isNamed) && !byAnnotations.includes(false) && !byLabels.includes(false)
}

/** Throws for the first requirement that makes no sense, so that a deployer does not even start with it. */
export function checkSelectors(selectors: readonly TargetSelector[]): void {
  for (const { annotations = [], labels = [] } of selectors) for (const one of [...annotations, ...labels]) check(one)
}

function holds(requirement: Requirement, values: Readonly<Record<string, string>>): boolean {
  const wanted = check(requirement)
  const value = Object.hasOwn(values, requirement.key) ? values[requirement.key] : undefined
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && wanted.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !wanted.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt':
      return isBeyond(requirement.operator, value, wanted[0] ?? '')
  }
}

function isBeyond(operator: 'gt' | 'lt', value: string | undefined, limit: string): boolean {
  if (value === undefined || !integer.test(value)) return false
  return operator === 'gt' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit)
}

const integer = /^-?\d+$/

/** How many values an operator takes: none, one, or at least one. */
const amounts: Readonly<Record<SelectorOperator, 'none' | 'one' | 'some'>> = {
  '=': 'one',
  '==': 'one',
  '!=': 'one',
  in: 'some',
  notin: 'some',
  exists: 'none',
  '!': 'none',
  gt: 'one',
  lt: 'one',
}

/** The values of a requirement that makes sense. */
function check({ key, operator, values = [] }: Requirement): readonly string[] {
  const refuse = (problem: string) =>
    new CarabinerError('CRB_SELECTOR_INVALID', `target selector, key ${JSON.stringify(key)}: ${problem}`)
  if (!isLabelKey(String(key))) throw refuse('is not a label key')
  const amount = Object.hasOwn(amounts, operator) ? amounts[operator] : undefined
  if (amount === undefined)
    throw refuse(`operator ${JSON.stringify(operator)} is none of ${Object.keys(amounts).join(', ')}`)
  if (amount === 'none' && values.length > 0) throw refuse(`operator ${operator} takes no values`)
  if (amount === 'one' && values.length !== 1) throw refuse(`operator ${operator} takes exactly one value`)
  if (amount === 'some' && values.length === 0) throw refuse(`operator ${operator} takes at least one value`)
  const wrong = values.find((value) => !isLabelValue(value))
  if (wrong !== undefined) throw refuse(`value ${JSON.stringify(wrong)} is not a label value`)
  if ((operator === 'gt' || operator === 'lt') && !integer.test(values[0] ?? ''))
    throw refuse(`operator ${operator} takes a whole number, not ${JSON.stringify(values[0])}`)
  return values
}
