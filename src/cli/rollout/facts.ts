/** The head of `status` and `get`: what a policy is doing, in lines of a name and a value. */
import type { Ledger, RolloutPolicy } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { asStarted } from '../program-name.ts'
import type { Display } from '../terminal/display.ts'
import { paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { age, span } from '../terminal/span.ts'
import { legible } from '../terminal/symbols.ts'
import { wrapped } from '../terminal/width.ts'
import { type Detail, replicasOf } from './detail/detail.ts'
import { conditionOf, isUnseen, messageOf, stateColour, stateOf } from './state.ts'

/** Who a text is for: how the program was started, and what can be shown. */
export type Reader = Pick<CliContext, 'programName'> & { readonly stdout: Display }

const nameWidth = 11

export function factLines(detail: Detail, now: number, reader: Reader): string {
  const { stdout: display } = reader
  const { policy, outcome, images } = detail
  const { metadata, spec, status } = policy
  const ledger = status?.rollout
  const colour = paint(display)
  const isWaiting = outcome === 'going' && isUnseen(policy)
  const facts: readonly (readonly [string, string | undefined, ((text: string) => string)?])[] = [
    ['policy', `${metadata.namespace}/${metadata.name}`],
    ['target', `${spec.targetRef.kind} ${spec.targetRef.name}`],
    ['state', stateText(policy), stateColour(policy, colour)],
    ['images', images],
    ['revisions', ledger && [ledger.from, ledger.to].filter((name) => name !== undefined).join(' → ')],
    ['rollout', ledger && rolloutText(ledger, now)],
    ['instead', undoneIn(policy)],
    ['pods', podsText(detail)],
    ['message', isWaiting ? 'waits for the operator, which has not seen the change yet' : messageOf(policy)],
  ]
  return facts
    .flatMap(([name, value, own = (text: string) => text]) => {
      if (value === undefined || value === '') return []
      const lines = wrapped(
        legible(asStarted(printableLine(value), reader), display),
        (display.limit ?? Number.POSITIVE_INFINITY) - nameWidth,
      )
      return lines.map((line, index) => `${(index === 0 ? name : '').padEnd(nameWidth)}${own(line)}\n`)
    })
    .join('')
}

/** Where a rollout under way is; the word alone for everything else. */
export function stateText(policy: RolloutPolicy): string {
  const { point, waitingFor, endedAt } = policy.status?.rollout ?? {}
  if (conditionOf(policy)?.type !== 'Reconciling' || endedAt !== undefined) return stateOf(policy)
  const where = point === undefined ? '' : ` at ${point}`
  return `${stateOf(policy)}${where}${waitingFor === undefined ? '' : `, waits for ${waitingFor}`}`
}

function rolloutText({ type, id, phase, startedAt, endedAt }: Ledger, now: number): string {
  const ago = (time: string) => `${age(now - Date.parse(time))} ago`
  if (endedAt === undefined) return `${type} ${id}, started ${ago(startedAt)}`
  return `${type} ${id}, ${phase} ${ago(endedAt)} after ${span(Date.parse(endedAt) - Date.parse(startedAt))}`
}

function podsText({ workload, pods, policy }: Detail): string | undefined {
  if (workload === undefined) return undefined
  const to = policy.status?.rollout?.to
  const living = pods.filter(({ state }) => state !== 'Terminating')
  const fresh = living.filter(({ revision }) => revision === to)
  const count = (some: readonly { readonly isReady: boolean }[], word: string) =>
    some.length === 0 ? [] : [`${some.length} ${word} (${some.filter(({ isReady }) => isReady).length} ready)`]
  const old = living.filter((pod) => !fresh.includes(pod))
  const counts = [...count(fresh, 'new'), ...count(old, to === undefined ? 'running' : 'old')]
  return [...counts, `${replicasOf(workload)} wanted`].join(', ')
}

/** Why the way goes back. */
function undoneIn({ status }: RolloutPolicy): string | undefined {
  const undone = status?.rollout?.undoOf
  if (undone === undefined) return undefined
  const { to, message } = status?.history?.find(({ id }) => id === undone) ?? {}
  return `of ${undone}${to === undefined ? '' : ` to ${to}`}${message === undefined ? '' : `, ${message}`}`
}
