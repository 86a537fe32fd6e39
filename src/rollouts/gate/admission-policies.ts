/**
 * The gate as admission policies, for API servers from 1.36 on: the same decisions as `gate.ts` in CEL, evaluated inside the API server,
 * so that no process of ours stands in the way of a write. The server converts the object again for every policy that might be meant, once to
 * ask its conditions and once to change it, which is most of what a gate costs: one policy sees to everything that is opted in.
 */
import type { KubeObject } from '../../kube/index.ts'
import { type Hold, holdLabel, installationLabels, optInLabel } from '../labels.ts'
import { type ByKind, byKind, holdable, updates, writesWith } from './by-kind.ts'
import { closable, closes, hasLabel, type MatchCondition, notByEngine, notReleased, pins } from './conditions.ts'
import { closedPartition, editableFields, editPrefix, partitionEdit } from './pending-edits.ts'
import { stamped } from './stamp.ts'

interface KindRules {
  /** Whether a write is as closing would make it, also because it is asked about a second time. */
  readonly isClosed: string
  /** List of patches, in CEL. */
  readonly close: string
  readonly pin: string
}

const patch = (path: string, value: string) => `JSONPatch{op: 'add', path: '${path}', value: ${value}}`
const when = (condition: string, ...patches: string[]) => `(${condition} ? [${patches.join(', ')}] : [])`

const hold = `(oldObject != null && has(oldObject.spec.paused) && oldObject.spec.paused ? 'user-paused' : 'gate')`
// Asked a second time about the same write, the object is paused already and its label tells what was found the first time.
const isResumed = `(oldObject.metadata.labels['${holdLabel}'] == 'user-paused' && (!(has(object.spec.paused) && object.spec.paused) || (has(object.metadata.labels) && '${holdLabel}' in object.metadata.labels && object.metadata.labels['${holdLabel}'] == 'gate')))`
const isHeldAs = (hold: Hold) => `(oldObject.metadata.labels['${holdLabel}'] == '${hold}')`
const isStep = isHeldAs('step')

const isLabelled = (hold: string) =>
  `(${hasLabel('object', holdLabel)} && object.metadata.labels['${holdLabel}'] == ${hold})`

// A gate that is open up to a point is shut for a template that comes meanwhile.
const isOvertaken = `(${isStep} && object.spec.template != oldObject.spec.template)`

const labelPath = (name: string) => `/metadata/labels/${name.replaceAll('/', '~1')}`

/** Every field on the way is there. */
const present = (subject: string, path: readonly string[]) =>
  path.map((_, index) => `has(${[subject, ...path.slice(0, index + 1)].join('.')})`).join(' && ')

/** The value that was wanted becomes a label; what was wanted before stays wanted. */
function savePendingEdit({ name, path, absent, own }: ReturnType<typeof editableFields>[number]): string {
  const text = (subject: string) =>
    `(${present(subject, path)} ? string(${[subject, ...path].join('.')}).replace('%', 'pct') : '${absent ?? ''}')`
  const label = editPrefix + name
  const isWanted = `(${absent === undefined ? present('object', path) : 'true'}) && !(${text('object')} in ['${own ?? ''}', ${text('oldObject')}])`
  const before = `oldObject.metadata.labels['${label}']`
  const isKnown = `'${label}' in oldObject.metadata.labels && !(has(object.metadata.labels) && '${label}' in object.metadata.labels)`
  return `(${isWanted} ? [${patch(labelPath(label), text('object'))}] : ${when(isKnown, patch(labelPath(label), before))})`
}

const savePendingEdits = (kind: string, hold: Hold) => editableFields(kind, hold).map(savePendingEdit).join(' + ')
const ownPartition = ['object', ...partitionEdit.path].join('.')
const ensureLabels = when('!has(object.metadata.labels)', patch('/metadata/labels', '{}'))
const keepLabels = [
  ensureLabels,
  `[${patch(labelPath(holdLabel), `${isResumed} ? 'gate' : oldObject.metadata.labels['${holdLabel}']`)}]`,
  when(
    `'${optInLabel}' in oldObject.metadata.labels`,
    patch(labelPath(optInLabel), `oldObject.metadata.labels['${optInLabel}']`),
  ),
].join(' + ')
const keepHoldOnly = keepLabels.replace(`${isResumed} ? 'gate' : `, '')

const kinds: ByKind<KindRules> = {
  deployments: {
    isClosed: `(${isLabelled(hold)} && has(object.spec.paused) && object.spec.paused)`,
    close: `${ensureLabels} + [${patch(labelPath(holdLabel), hold)}, ${patch('/spec/paused', 'true')}]`,
    pin: [
      keepLabels,
      `(${isStep} ? ${savePendingEdits('Deployment', 'step')} : [])`,
      `(${isHeldAs('mid')} ? ${savePendingEdits('Deployment', 'mid')} : [])`,
      when(isHeldAs('mid'), patch('/spec/replicas', 'oldObject.spec.replicas')),
      `[${patch('/spec/paused', `(has(oldObject.spec.paused) && oldObject.spec.paused) || ${isOvertaken}`)}]`,
      when(
        isStep,
        patch('/spec/minReadySeconds', 'has(oldObject.spec.minReadySeconds) ? oldObject.spec.minReadySeconds : 0'),
        patch('/spec/progressDeadlineSeconds', 'oldObject.spec.progressDeadlineSeconds'),
        patch('/spec/strategy', 'oldObject.spec.strategy'),
      ),
    ].join(' + '),
  },
  statefulsets: {
    isClosed: `(${isLabelled("'gate'")} && ${present('object', partitionEdit.path)} && ${ownPartition} == ${closedPartition})`,
    close: [
      ensureLabels,
      // Asked a second time about the same write, the partition is ours and the label has been set.
      when(
        `${present('object', partitionEdit.path)} && !(${ownPartition} in [0, ${closedPartition}])`,
        patch(labelPath(editPrefix + partitionEdit.name), `string(${ownPartition})`),
      ),
      when('!has(object.spec.updateStrategy.rollingUpdate)', patch('/spec/updateStrategy/rollingUpdate', '{}')),
      `[${patch(labelPath(holdLabel), "'gate'")}, ${patch('/spec/updateStrategy/rollingUpdate/partition', String(closedPartition))}]`,
    ].join(' + '),
    pin: [
      keepHoldOnly,
      savePendingEdits('StatefulSet', 'gate'),
      `[${patch('/spec/updateStrategy', 'oldObject.spec.updateStrategy')}]`,
      when(isOvertaken, patch('/spec/updateStrategy/rollingUpdate/partition', String(closedPartition))),
    ].join(' + '),
  },
  daemonsets: {
    // OnDelete cannot be closed.
    isClosed: 'false',
    close: `${ensureLabels} + [${patch(labelPath(holdLabel), "'gate'")}, ${patch('/spec/updateStrategy/type', "'OnDelete'")}]`,
    pin: `${keepHoldOnly} + [${patch('/spec/updateStrategy/type', 'oldObject.spec.updateStrategy.type')}]`,
  },
}

/** Policies and their bindings, in the order they are applied. */
export function admissionPolicies(engine: string): readonly KubeObject[] {
  const isClosed = byKind(kinds, (kind) => kind.isClosed)
  const close = byKind(kinds, (kind) => kind.close)
  const pin = byKind(kinds, (kind) => kind.pin)
  const concerned = `${pins.expression} || (${closes.expression} && ${closable} && !${isClosed})`
  return [
    ...policy(
      'carabiner-close',
      writesWith(holdable, optInLabel),
      [notByEngine(engine), notReleased, { name: 'held-or-template-changed', expression: concerned }],
      `${pins.expression} ? ${pin} : ${close}`,
    ),
    // Removing the label does not open a gate.
    ...policy(
      'carabiner-pin',
      writesWith(updates, holdLabel, optInLabel),
      [notByEngine(engine), notReleased, pins],
      pin,
    ),
  ]
}

function policy(
  name: string,
  matchConstraints: object,
  matchConditions: readonly MatchCondition[],
  expression: string,
): readonly KubeObject[] {
  const spec = {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'IfNeeded',
    matchConstraints,
    matchConditions,
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
  }
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const metadata = { name, labels: installationLabels }
  const binding = { policyName: name }
  return [
    stamped({ apiVersion, kind: 'MutatingAdmissionPolicy', metadata, spec } as KubeObject, spec),
    stamped({ apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: binding } as KubeObject, binding),
  ]
}
