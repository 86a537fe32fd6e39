/**
 * The conditions of the gate in CEL, shared by admission policies and by the webhook's match conditions, so that only writes that may
 * close or touch a gate ever reach it.
 */
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import { byKind } from './by-kind.ts'

export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** `object` or `oldObject` has the label. */
export function hasLabel(subject: string, label: string): string {
  return `(has(${subject}.metadata.labels) && '${label}' in ${subject}.metadata.labels)`
}

const isHeld = `(oldObject != null && ${hasLabel('oldObject', holdLabel)})`

const isReleased = `(${hasLabel('object', releaseLabel)} && object.metadata.labels['${releaseLabel}'] == 'true')`
const isOptedIn = `(${hasLabel('object', optInLabel)} || (oldObject != null && ${hasLabel('oldObject', optInLabel)}))`
const templateChanged = '(oldObject == null || object.spec.template != oldObject.spec.template)'

const byEngine = 'not-by-the-engine'

export function notByEngine(engine: string): MatchCondition {
  return { name: byEngine, expression: `request.userInfo.username != '${engine.replace(/[\\']/g, '\\$&')}'` }
}

/** Whom a gate takes for the engine. */
export function engineIn(conditions: readonly MatchCondition[]): string | undefined {
  const expression = conditions.find(({ name }) => name === byEngine)?.expression
  return /'(.*)'$/.exec(expression ?? '')?.[1]?.replace(/\\([\\'])/g, '$1')
}

export const notReleased: MatchCondition = { name: 'not-released', expression: `!${isReleased}` }
export const released: MatchCondition = { name: 'released', expression: `${isReleased} && ${isOptedIn}` }
export const closes: MatchCondition = {
  name: 'template-changed',
  expression: `${isOptedIn} && !${isHeld} && ${templateChanged}`,
}
export const pins: MatchCondition = { name: 'held', expression: isHeld }
/** For the webhooks: the one that must not be missed, and the one that may be while no process serves it. */
export const changesTemplate: MatchCondition = {
  name: 'template-changed',
  expression: `(${isOptedIn} || ${isHeld}) && ${templateChanged}`,
}
/** Also a hold label with an unknown value. */
export const touchesHeld: MatchCondition = {
  name: 'held',
  expression: `(${isHeld} || ${hasLabel('object', holdLabel)}) && !${templateChanged}`,
}

// The API server checks expressions against the fields of each kind of a policy, also those that are never evaluated for it.
const strategy = 'dyn(object).spec.updateStrategy'

/** When the gate of a workload can be closed at all. */
export const closable = byKind(
  {
    deployments: 'true',
    statefulsets: `${strategy}.type == 'RollingUpdate'`,
    daemonsets: `${strategy}.type == 'RollingUpdate' && (!(has(${strategy}.rollingUpdate) && has(${strategy}.rollingUpdate.maxSurge)) || string(${strategy}.rollingUpdate.maxSurge) in ['0', '0%'])`,
  },
  (expression) => expression,
)
