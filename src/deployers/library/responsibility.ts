/**
 * Decides whether a deployer is responsible for an item: the type must match, and a selector must match its Target if it has one. Pure, and
 * gives the reason.
 */
import type { DeployItem, Target } from '../resources/types.ts'
import type { DeployerInfo } from './preparation.ts'
import { matchOne, type TargetSelector } from './selectors.ts'

export interface Responsibility {
  readonly isResponsible: boolean
  readonly target: Target | undefined
  readonly why: string
}

export interface JudgingDeployer {
  readonly type: string
  readonly targetSelectors: readonly TargetSelector[]
}

export function judgeResponsibility(
  { type, targetSelectors }: JudgingDeployer,
  item: DeployItem,
  target: Target | undefined,
): Responsibility {
  if (item.spec.type !== type)
    return { isResponsible: false, target, why: `the item has type ${item.spec.type}, the deployer has type ${type}` }
  if (target === undefined) return { isResponsible: true, target, why: 'the type matches and the item has no target' }
  if (targetSelectors.length === 0)
    return { isResponsible: true, target, why: 'the type matches and the deployer has no target selectors' }
  const isResponsible = matchOne(target, targetSelectors)
  const why = `${isResponsible ? 'a' : 'no'} target selector matches Target ${target.metadata.name}`
  return { isResponsible, target, why }
}

/**
 * Whether the deployer reports that the item's Target does not exist. Selectors cannot be judged without it, so of several deployers only the
 * one that handled the item before is responsible.
 */
export function isResponsibleWithoutTarget(
  { type, targetSelectors, info }: JudgingDeployer & { readonly info: DeployerInfo },
  { spec, status }: DeployItem,
): boolean {
  if (spec.type !== type) return false
  return targetSelectors.length === 0 || status?.deployer?.identity === info.identity
}
