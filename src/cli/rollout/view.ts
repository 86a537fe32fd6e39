/** How a rollout under way is shown: as a picture in place on a terminal, as lines of what is new elsewhere. */
import type { HookRecord, RolloutPolicy, Workload } from '../../rollouts/index.ts'
import type { Output } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import { type Paint, paint } from '../terminal/paint.ts'
import { span } from '../terminal/span.ts'
import { cut, wrapped } from '../terminal/width.ts'
import { shownMessage, shownState } from './advice.ts'
import { colourOf, draw, legend, markOf, withEnd } from './timeline/draw.ts'
import type { Timeline } from './timeline/timeline.ts'

export interface Scene {
  readonly policy: RolloutPolicy
  readonly workload: Workload
  readonly outcome: Outcome
  readonly timeline: Timeline
  /** When the rollout began. */
  readonly begun: number
}

export interface View {
  show(scene: Scene, now: number): void
  /** The last observed stays. */
  end(scene: Scene, now: number): void
}

export function viewOf(output: Output): View {
  return output.isTerminal ? new Picture(output) : new Lines(output)
}

/** Goes back to its own beginning and draws again; as many lines as before are cleared. */
class Picture implements View {
  readonly #output: Output
  #lines = 0
  #rollout: string | undefined

  constructor(output: Output) {
    this.#output = output
  }

  show(scene: Scene, now: number): void {
    const lines = picture(scene, now, this.#output.columns, paint(this.#output))
    const id = scene.policy.status?.rollout?.id
    // The picture of a rollout that is over stays; the next one is drawn below.
    if (id !== this.#rollout && this.#rollout !== undefined) {
      this.#lines = 0
      this.#output.write('\n')
    }
    this.#rollout = id
    const back = this.#lines === 0 ? '' : `\x1b[${this.#lines}A\r`
    const body = lines.map((line) => `${line}\x1b[K\n`).join('')
    this.#output.write(`${back}${body}\x1b[J`)
    this.#lines = lines.length
  }

  end(scene: Scene, now: number): void {
    this.show(scene, now)
  }
}

export function picture(scene: Scene, now: number, columns: number, colour: Paint): readonly string[] {
  const { policy, timeline, begun, outcome } = scene
  const ledger = policy.status?.rollout
  const { kind, name } = policy.spec.targetRef
  const isOver = ledger?.endedAt !== undefined
  const length = Math.max(1000, (isOver ? Date.parse(ledger.endedAt ?? '') : now) - begun)
  const shown = isOver ? withEnd(length) : length
  const title = `${colour.bold(`${kind} ${policy.metadata.namespace}/${name}`)}  ${phaseText(scene, colour)}`
  if (ledger === undefined) return [title, ...wrapped(waitText(scene), columns - 1).map((line) => colour.dim(line))]
  const way = ledger.from === undefined ? ledger.to : `${ledger.from} → ${ledger.to}`
  const hooks = ledger.hooks.map((hook) => hook.name)
  const { samples, bars } = timeline
  const width = Math.max(...hooks.map((hook) => hook.length), 4)
  return [
    `${title}  ${colour.dim(`${ledger.type} ${ledger.id}`)}`,
    `${way}  ${colour.dim(span(length))}`,
    '',
    ...draw({ samples, bars, length: shown, hooks, columns: Math.min(columns, 100), colour }),
    '',
    ...ledger.hooks.map((hook) => hookLine(hook, width, isOver, now, colour)),
    '',
    // How it ended is what people came for: it takes as many lines as it needs.
    ...(outcome === 'going' ? [colour.dim(legendFor(columns, colour))] : wrapped(messageOf(policy) ?? '', columns - 1)),
  ].map((line) => cut(line, columns - 1))
}

function legendFor(columns: number, colour: Paint): string {
  return columns >= 112 ? legend(colour) : '█ new  ░ old  ■ gate closed  □ held'
}

function phaseText({ policy, outcome }: Scene, colour: Paint): string {
  const { phase = '', point, waitingFor } = policy.status?.rollout ?? {}
  if (outcome === 'settled') return colour.green(phase === '' ? 'at rest' : phase)
  if (outcome === 'failed') return colour.red(reasonOf(policy) ?? phase)
  const where = point === undefined ? '' : ` at ${point}`
  return colour.yellow(`${phase}${where}${waitingFor === undefined ? '' : `, waits for ${waitingFor}`}`)
}

function hookLine(hook: HookRecord, width: number, isOver: boolean, now: number, colour: Paint): string {
  const { name, point, state, attempts, startedAt, endedAt } = hook
  const until = endedAt === undefined || state === 'Running' ? now : Date.parse(endedAt)
  const took = startedAt === undefined ? '' : span(until - Date.parse(startedAt))
  const again = attempts > 1 ? `  attempt ${attempts}` : ''
  const mark = colourOf(state, colour)(markOf(state))
  return `${mark} ${name.padEnd(width)}  ${point.padEnd(7)} ${shownState(hook, isOver).padEnd(10)} ${took.padStart(12)}${again}  ${colour.dim(shownMessage(hook, isOver))}`.trimEnd()
}

class Lines implements View {
  readonly #output: Output
  #last = ''

  constructor(output: Output) {
    this.#output = output
  }

  show(scene: Scene, now: number): void {
    const text = line(scene)
    if (text === this.#last) return
    this.#last = text
    this.#output.write(`${new Date(now).toISOString().slice(11, 19)}  ${text}\n`)
  }

  end(scene: Scene, now: number): void {
    this.show(scene, now)
  }
}

/** Everything that is news, in a line. */
function line(scene: Scene): string {
  const { policy, timeline, outcome } = scene
  const ledger = policy.status?.rollout
  if (ledger === undefined) return outcome === 'failed' ? `${reasonOf(policy)}  ${waitText(scene)}` : waitText(scene)
  const { fresh = 0, freshReady = 0, old = 0, gate = 'open' } = timeline.last ?? {}
  const pods = `${freshReady} of ${fresh} new ready, ${old} old`
  const hooks = ledger.hooks.map(
    ({ name, state, attempts }) =>
      `${name}=${shownState({ state, attempts }, ledger.endedAt !== undefined)}${attempts > 1 ? `(${attempts})` : ''}`,
  )
  const end = outcome === 'going' ? '' : `  ${messageOf(policy) ?? ''}`
  const at = ledger.point === undefined ? '' : ` at ${ledger.point}`
  return `${ledger.phase}${at}  gate ${gate}  pods ${pods}  ${hooks.join(' ')}${end}`.trimEnd()
}

/** Before the first rollout: what is waited for, or why there will be none. */
function waitText({ policy, outcome }: Scene): string {
  const stalled = outcome === 'failed' ? messageOf(policy) : undefined
  return stalled ?? 'no rollout is under way; waits for the template to change'
}

function conditionOf({ status }: RolloutPolicy) {
  return status?.conditions?.find(({ status: is }) => is === 'True')
}

function messageOf(policy: RolloutPolicy): string | undefined {
  return conditionOf(policy)?.message
}

function reasonOf(policy: RolloutPolicy): string | undefined {
  return conditionOf(policy)?.reason
}
