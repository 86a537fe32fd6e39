/**
 * The second look as admission policies: the refusals of `validation.ts` in CEL, and two warnings that a mutation cannot give. The warnings are
 * for people; programs of the cluster itself write to held workloads all the time.
 */
import type { KubeObject } from '../../kube/index.ts'
import { holdLabel, installationLabels, optInLabel, releaseLabel } from '../labels.ts'
import { group, version } from '../policy/definition.ts'
import { type ByKind, byKind, holdable, updates, writesWith } from './by-kind.ts'
import {
  closable,
  closes,
  hasLabel,
  type MatchCondition,
  notByEngine,
  notReleased,
  pins,
  released,
} from './conditions.ts'
import { closedPartition } from './pending-edits.ts'
import { stamped } from './stamp.ts'

const policyName = `(oldObject != null && ${hasLabel('oldObject', optInLabel)} ? oldObject.metadata.labels['${optInLabel}'] : ${hasLabel('object', optInLabel)} ? object.metadata.labels['${optInLabel}'] : 'unknown')`
const name = "request.kind.kind + ' ' + request.namespace + '/' + object.metadata.name"
const whatToDo = `'see: carabiner rollout status -n ' + request.namespace + ' ' + ${policyName} + '; to let it go whatever its hooks say: kubectl label -n ' + request.namespace + ' ' + request.kind.kind.lowerAscii() + '/' + object.metadata.name + ' ${releaseLabel}=true'`

const outdatedHooks = "object.spec.lifecycleHooks.filter(hook, has(hook.on)).map(hook, hook.name).join(', ')"

const messages = {
  staysShut: `${name} + ' is held by RolloutPolicy ' + ${policyName} + ', and only the operator opens it; ' + ${whatToDo}`,
  didNotClose: `'the gate of ' + ${name} + ' did not close: something else in admission changes it back, or the gate was installed a moment ago (then try again); ' + ${whatToDo}`,
  labelIsOurs: `'label ${holdLabel} of ' + ${name} + ' is set by the gate alone; leave it out'`,
  held: `${name} + ' is held by RolloutPolicy ' + ${policyName} + ' until its hooks have passed; ' + ${whatToDo}`,
  released: `${name} + ' rolls out without hooks, because it has label ${releaseLabel}=true; when you are done: kubectl label -n ' + request.namespace + ' ' + request.kind.kind.lowerAscii() + '/' + object.metadata.name + ' ${releaseLabel}-'`,
  previousName: `'spec.lifecycleHooks: on is deprecated, write rolloutTypes instead; hooks: ' + ${outdatedHooks}`,
}

const shutWhen = (condition: string) => `(${condition} ? ${closedPartition} : 0)`
/** How far shut `spec` is, as a number; a gate that is shut altogether is at `closedPartition`. */
const shutness: ByKind<(spec: string) => string> = {
  deployments: (spec) => shutWhen(`has(${spec}.paused) && ${spec}.paused`),
  statefulsets: (spec) => {
    const rolling = `${spec}.updateStrategy.rollingUpdate`
    return `(has(${rolling}) && has(${rolling}.partition) ? int(${rolling}.partition) : 0)`
  },
  daemonsets: (spec) => shutWhen(`${spec}.updateStrategy.type == 'OnDelete'`),
}
/** `dyn`, because no kind has the fields of another. */
const shut = (subject: string) => byKind(shutness, (of) => of(`dyn(${subject}).spec`))

export function validatingPolicies(engine: string): readonly KubeObject[] {
  const overtaken = `oldObject.metadata.labels['${holdLabel}'] == 'step' && object.spec.template != oldObject.spec.template`
  const wanted = `(${overtaken} ? ${closedPartition} : ${shut('oldObject')})`
  const holds = hasLabel('object', holdLabel)
  const deny = { failurePolicy: 'Fail', validationActions: ['Deny'] } as const
  const conditions = [notByEngine(engine), notReleased]
  const validations = [
    [
      `!(${closes.expression}) || !${closable} || (${holds} && ${shut('object')} == ${closedPartition})`,
      messages.didNotClose,
    ],
    [`!(${pins.expression}) || (${holds} && ${shut('object')} >= ${wanted})`, messages.staysShut],
    [`${pins.expression} || (${closes.expression}) || !${holds}`, messages.labelIsOurs],
  ] as const
  return [
    // Two policies for what one could say: labels are asked for before anything is converted, and there is no "or" between them.
    ...policy(
      'carabiner-closed',
      { ...deny, matchConstraints: writesWith(holdable, optInLabel) },
      conditions,
      validations,
    ),
    ...policy(
      'carabiner-pinned',
      { ...deny, matchConstraints: writesWith(holdable, holdLabel, optInLabel) },
      conditions,
      validations,
    ),
    ...policy(
      'carabiner-warn-held',
      warningOf(holdLabel),
      [notByEngine(engine), notReleased, pins, sameTemplate, byPerson],
      [['false', messages.held]],
    ),
    ...policy(
      'carabiner-warn-released',
      warningOf(releaseLabel),
      [notByEngine(engine), released, byPerson],
      [['false', messages.released]],
    ),
    ...policy(
      'carabiner-warn-policy',
      { matchConstraints: policyWrites, failurePolicy: 'Ignore', validationActions: ['Warn'] },
      [byPerson],
      [[`!${hasHooks} || object.spec.lifecycleHooks.all(hook, !has(hook.on))`, messages.previousName]],
    ),
  ]
}

const policyWrites = {
  resourceRules: [
    { apiGroups: [group], apiVersions: [version], operations: ['CREATE', 'UPDATE'], resources: ['rolloutpolicies'] },
  ],
}
const hasHooks = 'has(object.spec.lifecycleHooks)'

const sameTemplate: MatchCondition = {
  name: 'same-template',
  expression: 'object.spec.template == oldObject.spec.template',
}
const byPerson: MatchCondition = {
  name: 'by-a-person',
  expression: "!request.userInfo.username.startsWith('system:')",
}

interface PolicyOptions {
  readonly matchConstraints: object
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly validationActions: readonly string[]
}

/** For writes to workloads that have the label. */
function warningOf(label: string): PolicyOptions {
  return {
    matchConstraints: writesWith(updates, label),
    failurePolicy: 'Ignore',
    validationActions: ['Warn'],
  }
}

function policy(
  name: string,
  { matchConstraints, failurePolicy, validationActions }: PolicyOptions,
  matchConditions: readonly MatchCondition[],
  validations: readonly (readonly [expression: string, messageExpression: string])[],
): readonly KubeObject[] {
  const spec = {
    failurePolicy,
    matchConstraints,
    matchConditions,
    validations: validations.map(([expression, messageExpression]) => ({
      expression,
      messageExpression,
      reason: 'Forbidden',
    })),
  }
  const binding = { policyName: name, validationActions }
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const metadata = { name, labels: installationLabels }
  return [
    stamped({ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec } as KubeObject, spec),
    stamped({ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: binding } as KubeObject, binding),
  ]
}
