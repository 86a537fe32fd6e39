/** Which deployer is responsible for an item, and why: each known deployer with the result of its selectors for the item's target. */
import {
  type DeployItem,
  judgeResponsibility,
  matchSelector,
  type Requirement,
  type Target,
  type TargetSelector,
} from '../../../deployers/index.ts'

export interface KnownDeployer {
  readonly name: string
  readonly type: string
  readonly identity?: string
  readonly targetSelectors: readonly TargetSelector[]
}

export interface JudgedSelector {
  readonly selector: string
  readonly matches: boolean
}

export interface JudgedDeployer {
  readonly deployer: string
  readonly isResponsible: boolean
  readonly why: string
  readonly selectors: readonly JudgedSelector[]
}

export function judge(deployer: KnownDeployer, item: DeployItem, target: Target | undefined): JudgedDeployer {
  const name = deployer.identity ?? deployer.name
  const { isResponsible, why } = judgeResponsibility(deployer, item, target)
  const isMissing = item.spec.target !== undefined && target === undefined
  if (isResponsible && isMissing)
    return { deployer: name, isResponsible: false, why: `there is no Target ${item.spec.target?.name}`, selectors: [] }
  const selectors =
    target === undefined || item.spec.type !== deployer.type
      ? []
      : deployer.targetSelectors.map((selector) => ({
          selector: selectorText(selector),
          matches: matchSelector(target, selector),
        }))
  return { deployer: name, isResponsible, why, selectors }
}

export function selectorText({ targets = [], annotations = [], labels = [] }: TargetSelector): string {
  const names = targets.map(({ name, namespace }) => (namespace === undefined ? name : `${namespace}/${name}`))
  const parts = [
    ...(names.length === 0 ? [] : [`target ${names.join(' or ')}`]),
    ...annotations.map((requirement) => `annotation ${requirementText(requirement)}`),
    ...labels.map((requirement) => `label ${requirementText(requirement)}`),
  ]
  return parts.length === 0 ? 'every target' : parts.join(' and ')
}

function requirementText({ key, operator, values = [] }: Requirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `no ${key}`
  return `${key} ${operator} ${values.length === 1 ? values[0] : `(${values.join(', ')})`}`
}
