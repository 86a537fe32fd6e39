/** The rows of `rollout get`: the workload, its revisions, their pods, and the hooks of the rollout with the pods that run them. */
import type { HookRecord } from '../../rollouts/index.ts'
import type { Display } from '../terminal/display.ts'
import { type Paint, paint } from '../terminal/paint.ts'
import { age } from '../terminal/span.ts'
import { type Cell, type Painted, table } from '../terminal/table.ts'
import { type Detail, replicasOf } from './detail/detail.ts'
import { imagesOf } from './detail/images.ts'
import { isTroubled, type PodState } from './detail/pod-state.ts'
import type { Revision } from './detail/revisions.ts'
import { hookState, stateColour, stateOf } from './state.ts'
import { hookMessage, hookTook } from './status-text.ts'
import { colourOf } from './timeline/draw.ts'

export interface Node {
  readonly name: string
  readonly kind: string
  readonly state: Painted
  readonly since: string
  readonly info: string
  readonly children: readonly Node[]
}

export function treeText(detail: Detail, now: number, display: Display): string {
  const rows = rowsOf(treeOf(detail, now, paint(display)), { now, first: '', rest: '' })
  return table(['name', 'kind', 'state', 'age', { head: 'info', shrinks: 'end' }], rows, display)
}

/** Of the policy; its `info` says what the workload lacks. */
export function treeOf(detail: Detail, now: number, colour: Paint): Node {
  const { policy, workload, revisions } = detail
  const { from, to } = policy.status?.rollout ?? {}
  const isShown = ({ name }: Revision) => [from, to].includes(name) || podsIn(detail, name).length > 0
  const shown = revisions.filter(isShown).map((revision) => revisionNode(detail, revision, now, colour))
  // Without a revision to stand under, for example before the first rollout, hooks stand under the policy.
  const others = revisions.some(({ name }) => name === to) ? [] : hookNodes(detail, now, colour)
  return {
    name: policy.metadata.name,
    kind: 'Policy',
    state: { text: stateOf(policy), paint: stateColour(policy, colour) },
    since: policy.metadata.creationTimestamp ?? '',
    info: workload === undefined ? '' : `${workload.kind} ${workload.metadata.name}, ${replicasOf(workload)} wanted`,
    children: [...shown, ...others],
  }
}

function revisionNode(detail: Detail, revision: Revision, now: number, colour: Paint): Node {
  const { name, kind, number, createdAt, template } = revision
  const pods = podsIn(detail, name)
  const { to, phase } = detail.policy.status?.rollout ?? {}
  const isNew = name === to
  const ready = pods.filter(({ isReady }) => isReady).length
  const word = isNew && phase !== 'Complete' ? 'new' : isNew || to === undefined ? 'current' : 'old'
  return {
    ...{ name, kind: kind === 'ReplicaSet' ? kind : 'Revision', since: createdAt },
    state: { text: word, paint: word === 'old' ? colour.dim : colour.bold },
    info: `${imagesOf(template)}, ${pods.length === 0 ? 'no pods' : `${ready}/${pods.length} ready`}, revision ${number}`,
    children: [...pods.map((pod) => podNode(pod, colour)), ...(isNew ? hookNodes(detail, now, colour) : [])],
  }
}

function podNode(pod: PodState, colour: Paint): Node {
  const { name, state, ready, restarts, message, createdAt } = pod
  const isGood = pod.isReady || ['Completed', 'Succeeded'].includes(state)
  const facts = [`ready ${ready}`, ...(restarts > 0 ? [`${restarts} restart${restarts === 1 ? '' : 's'}`] : [])]
  return {
    ...{ name, kind: 'Pod', since: createdAt, children: [] },
    state: { text: state, paint: isGood ? colour.green : isTroubled(pod) ? colour.red : colour.yellow },
    info: [...facts, ...(message === undefined ? [] : [message])].join(', '),
  }
}

function hookNodes({ policy, hookPods, refusals }: Detail, now: number, colour: Paint): readonly Node[] {
  const { hooks = [], endedAt } = policy.status?.rollout ?? {}
  const isOver = endedAt !== undefined
  return hooks.map((hook): Node => {
    const why = refusals.get(hook.name) ?? hookMessage(hook, { isOver, now })
    return {
      ...{ name: hook.name, kind: 'Hook', since: hook.startedAt ?? '' },
      state: { text: hookState(hook, { isOver }), paint: colourOf(hook.state, colour) },
      info: [`at ${hook.point}`, ...attemptFacts(hook, now), ...(why === '' ? [] : [why])].join(', '),
      children: hookPods.filter((pod) => pod.hook === hook.name).map((pod) => podNode(pod, colour)),
    }
  })
}

function attemptFacts(hook: HookRecord, now: number): readonly string[] {
  const took = hookTook(hook, now)
  return [...(hook.attempts > 1 ? [`attempt ${hook.attempts}`] : []), ...(took === '' ? [] : [took])]
}

function podsIn({ pods }: Detail, revision: string) {
  return pods.filter((pod) => pod.revision === revision)
}

interface Branch {
  readonly now: number
  /** Before the name of the node, and before those of its children. */
  readonly first: string
  readonly rest: string
}

function rowsOf(node: Node, { now, first, rest }: Branch): readonly (readonly Cell[])[] {
  const { name, kind, state, since, info, children } = node
  const below = children.flatMap((child, index) => {
    const isLast = index === children.length - 1
    return rowsOf(child, { now, first: `${rest}${isLast ? '└─ ' : '├─ '}`, rest: `${rest}${isLast ? '   ' : '│  '}` })
  })
  return [
    [{ text: name, branch: first }, kind, state, since === '' ? '' : age(now - Date.parse(since)), info],
    ...below,
  ]
}
