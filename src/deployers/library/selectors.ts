/**
 * Which targets a deployer serves. Selectors are ORed; the fields of one selector are ANDed. An invalid requirement is an error, because a
 * silent mismatch would leave items without a deployer.
 */
import { isLabelKey, isLabelValue } from '../../kube/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { Target } from '../resources/types.ts'

export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface Requirement {
  readonly key: string
  readonly operator: SelectorOperator
  readonly values?: readonly string[]
}

export interface TargetSelector {
  /** One of them must match; the namespace is compared only when given. */
  readonly targets?: readonly { readonly name: string; readonly namespace?: string }[]
  /** All of them must match. */
  readonly annotations?: readonly Requirement[]
  /** All of them must match. */
  readonly labels?: readonly Requirement[]
}

/** Whether one of the selectors matches; without any, every target does. */
export function matchOne(target: Target, selectors: readonly TargetSelector[]): boolean {
  // Every requirement is checked, so that an error does not depend on the order of the selectors.
  const matches = selectors.map((selector) => matchSelector(target, selector))
  return matches.length === 0 || matches.includes(true)
}

export function matchSelector(
  { metadata }: Target,
  { targets = [], annotations = [], labels = [] }: TargetSelector,
): boolean {
  const byAnnotations = annotations.map((requirement) => isMet(requirement, metadata.annotations ?? {}))
  const byLabels = labels.map((requirement) => isMet(requirement, metadata.labels ?? {}))
  const isNamed = targets.some(
    ({ name, namespace }) =>
      name === metadata.name && (namespace === undefined || namespace === '' || namespace === metadata.namespace),
  )
  return (targets.length === 0 || isNamed) && !byAnnotations.includes(false) && !byLabels.includes(false)
}

/** Throws for the first invalid requirement, so that a deployer does not start with it. */
export function checkSelectors(selectors: readonly TargetSelector[]): void {
  for (const { annotations = [], labels = [] } of selectors)
    for (const one of [...annotations, ...labels]) validValues(one)
}

function isMet(requirement: Requirement, values: Readonly<Record<string, string>>): boolean {
  const accepted = validValues(requirement)
  const value = Object.hasOwn(values, requirement.key) ? values[requirement.key] : undefined
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && accepted.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !accepted.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt':
      return isBeyond(requirement.operator, value, accepted[0] ?? '')
  }
}

function isBeyond(operator: 'gt' | 'lt', value: string | undefined, limit: string): boolean {
  if (value === undefined || !integer.test(value)) return false
  return operator === 'gt' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit)
}

const integer = /^-?\d+$/

/** How many values an operator takes: none, one, or at least one. */
const valueCounts: Readonly<Record<SelectorOperator, 'none' | 'one' | 'some'>> = {
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

/** Validates a requirement and returns its values. */
function validValues({ key, operator, values = [] }: Requirement): readonly string[] {
  const refuse = (problem: string) =>
    new CarabinerError('CRB_SELECTOR_INVALID', `target selector, key ${JSON.stringify(key)}: ${problem}`)
  if (!isLabelKey(String(key))) throw refuse('is not a label key')
  const valueCount = Object.hasOwn(valueCounts, operator) ? valueCounts[operator] : undefined
  if (valueCount === undefined)
    throw refuse(`operator ${JSON.stringify(operator)} is not one of ${Object.keys(valueCounts).join(', ')}`)
  if (valueCount === 'none' && values.length > 0) throw refuse(`operator ${operator} takes no values`)
  if (valueCount === 'one' && values.length !== 1) throw refuse(`operator ${operator} takes exactly one value`)
  if (valueCount === 'some' && values.length === 0) throw refuse(`operator ${operator} takes at least one value`)
  const wrong = values.find((value) => !isLabelValue(value))
  if (wrong !== undefined) throw refuse(`value ${JSON.stringify(wrong)} is not a label value`)
  if ((operator === 'gt' || operator === 'lt') && !integer.test(values[0] ?? ''))
    throw refuse(`operator ${operator} takes a whole number, not ${JSON.stringify(values[0])}`)
  return values
}
