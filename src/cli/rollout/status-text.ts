/** What `status` and `get` say of one policy for people: its facts, its hooks, and the pods that need a look. */
import type { HookRecord } from '../../rollouts/index.ts'
import type { Display } from '../terminal/display.ts'
import { paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { age, span } from '../terminal/span.ts'
import { type Cell, table } from '../terminal/table.ts'
import { adviceFor, adviceText } from './advice.ts'
import type { Detail } from './detail/detail.ts'
import type { FailedLog } from './detail/failed-log.ts'
import { isTroubled } from './detail/pod-state.ts'
import { factLines, type Reader } from './facts.ts'
import { hookState } from './state.ts'
import { colourOf } from './timeline/draw.ts'

const mostPods = 5

export function statusText(detail: Detail & { readonly failedLog?: FailedLog }, now: number, reader: Reader): string {
  const { stdout } = reader
  const parts = [
    ...[factLines(detail, now, reader), hookTable(detail, now, stdout)],
    ...[failedLogText(detail.failedLog, stdout), podTable(detail, now, stdout)],
  ]
  return `${parts.filter((part) => part !== '').join('\n')}${adviceText('What to do', adviceFor(detail), reader)}`
}

function hookTable({ policy, refusals }: Detail, now: number, display: Display): string {
  const { hooks = [], endedAt } = policy.status?.rollout ?? {}
  if (hooks.length === 0) return ''
  const isOver = endedAt !== undefined
  const colour = paint(display)
  const rows = hooks.map((hook): readonly Cell[] => [
    hook.name,
    hook.point,
    { text: hookState(hook, { isOver }), paint: colourOf(hook.state, colour) },
    String(hook.attempts),
    hookTook(hook, now),
    refusals.get(hook.name) ?? hookMessage(hook, { isOver, now }),
  ])
  const heads = ['hook', 'point', 'state', 'attempts', 'took', { head: 'message', shrinks: 'below' } as const]
  return table(heads, rows, display)
}

function failedLogText(failed: FailedLog | undefined, display: Display): string {
  if (failed === undefined) return ''
  const { red } = paint(display)
  return `The log of ${failed.hook} ends with:\n${failed.lines.map((line) => `  ${red(printableLine(line))}\n`).join('')}`
}

/** The pods that need a look, of the workload and of running hooks; what came of an ended hook stands in its own row. */
function podTable({ policy, pods, hookPods }: Detail, now: number, display: Display): string {
  const hooks = policy.status?.rollout?.hooks ?? []
  const running = new Set(hooks.filter(({ state }) => state === 'Running').map(({ name }) => name))
  const troubled = [...pods, ...hookPods.filter(({ hook }) => running.has(hook))].filter(isTroubled)
  if (troubled.length === 0) return ''
  const colour = paint(display)
  const rows = troubled
    .slice(0, mostPods)
    .map((pod): readonly Cell[] => [
      pod.name,
      { text: pod.state, paint: pod.isReady ? colour.yellow : colour.red },
      pod.ready,
      String(pod.restarts),
      age(now - Date.parse(pod.createdAt)),
      pod.message ?? '',
    ])
  const more = troubled.length > mostPods ? `and ${troubled.length - mostPods} more pods\n` : ''
  const heads = ['pod', 'state', 'ready', 'restarts', 'age', { head: 'message', shrinks: 'below' } as const]
  return `${table(heads, rows, display)}${more}`
}

export function hookTook({ startedAt, endedAt, state }: HookRecord, now: number): string {
  if (startedAt === undefined) return ''
  const until = endedAt === undefined || state === 'Running' ? now : Date.parse(endedAt)
  return span(until - Date.parse(startedAt))
}

/** Between two attempts: when the next one starts, because nothing is to be seen of it meanwhile. */
export function hookMessage(
  { state, message = '', retryAt }: HookRecord,
  { isOver, now }: { readonly isOver: boolean; readonly now: number },
): string {
  if (isOver || state !== 'Pending' || retryAt === undefined) return message
  return `tried again in ${span(Date.parse(retryAt) - now)}: ${message}`
}
