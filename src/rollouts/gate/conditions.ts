/**
 * The conditions of the gate in CEL, shared by admission policies and by the webhook's match conditions, so that only writes that may
 * close or touch a gate ever reach it.
 */
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'

export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** `object` or `oldObject` has the label. */
export function hasLabel(subject: string, label: string): string {
  return `(has(${subject}.metadata.labels) && '${label}' in ${subject}.metadata.labels)`
}

/**
 * Writes to `resources` that have the label before or after, beside those that have `other` then. A workload that has nothing to do with us
 * never meets an expression of ours: it costs nothing there, and nothing that goes wrong here can stop it.
 */
export function writesTo(
  resources: readonly string[],
  operations: readonly string[],
  label: string,
  other?: string,
): object {
  const without = other === undefined ? [] : [{ key: other, operator: 'DoesNotExist' }]
  return {
    resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations, resources }],
    objectSelector: { matchExpressions: [{ key: label, operator: 'Exists' }, ...without] },
  }
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
/** For the webhooks: the one that must not be missed, and the one that may be while nobody serves it. */
export const changesTemplate: MatchCondition = {
  name: 'template-changed',
  expression: `(${isOptedIn} || ${isHeld}) && ${templateChanged}`,
}
/** Also a hold label that somebody has made up. */
export const touchesHeld: MatchCondition = {
  name: 'held',
  expression: `(${isHeld} || ${hasLabel('object', holdLabel)}) && !${templateChanged}`,
}

/** When a gate of the kind can be closed at all. */
export const closable = {
  deployments: 'true',
  statefulsets: "object.spec.updateStrategy.type == 'RollingUpdate'",
  daemonsets:
    "object.spec.updateStrategy.type == 'RollingUpdate' && (!(has(object.spec.updateStrategy.rollingUpdate) && has(object.spec.updateStrategy.rollingUpdate.maxSurge)) || string(object.spec.updateStrategy.rollingUpdate.maxSurge) in ['0', '0%'])",
} as const
