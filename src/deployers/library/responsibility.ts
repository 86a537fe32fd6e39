/**
 * Whose item it is: of the deployer's type, and its target, if it has one, matched by a selector. Pure, and able to say why, for the
 * loop and for people who ask.
 */
import type { DeployItem, Target } from '../resources/types.ts'
import { matchOne, type TargetSelector } from './selectors.ts'

export interface Responsibility {
  readonly isResponsible: boolean
  readonly target: Target | undefined
  readonly why: string
}

export function judgeResponsibility(
  deployer: { readonly type: string; readonly targetSelectors: readonly TargetSelector[] },
  item: DeployItem,
  target: Target | undefined,
): Responsibility {
  const { type, targetSelectors } = deployer
  if (item.spec.type !== type)
    return { isResponsible: false, target, why: `the item's type is ${item.spec.type}, the deployer's ${type}` }
  if (target === undefined) return { isResponsible: true, target, why: 'the type is right and there is no target' }
  if (targetSelectors.length === 0)
    return { isResponsible: true, target, why: 'the type is right and the deployer has no target selectors' }
  const isResponsible = matchOne(target, targetSelectors)
  const why = `${isResponsible ? 'a' : 'no'} target selector matches Target ${target.metadata.name}`
  return { isResponsible, target, why }
}
