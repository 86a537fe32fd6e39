/** How a rollout under way is shown: as a picture in place on a terminal, as lines of what is new elsewhere. */
import type { HookRecord, RolloutPolicy, Workload } from '../../rollouts/index.ts'
import { largest } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import { asStarted } from '../program-name.ts'
import { type Paint, paint } from '../terminal/paint.ts'
import { Picture } from '../terminal/picture.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import { span } from '../terminal/span.ts'
import { legible } from '../terminal/symbols.ts'
import { wrapped } from '../terminal/width.ts'
import { approvals } from './advice.ts'
import { isTroubled, type PodState } from './detail/pod-state.ts'
import { type Reader, stateText } from './facts.ts'
import { hookState, messageOf, stateColour, stateOf } from './state.ts'
import { hookMessage, hookTook } from './status-text.ts'
import { colourOf, draw, legend, markOf, withEnd } from './timeline/draw.ts'
import type { Timeline } from './timeline/timeline.ts'

export interface Scene {
  readonly policy: RolloutPolicy
  readonly workload: Workload
  readonly outcome: Outcome
  readonly timeline: Timeline
  /** When the rollout began. */
  readonly begun: number
  /** What it changes, as `shop/web:2 → shop/web:3`. */
  readonly images?: string
  readonly pods: readonly PodState[]
}

export type Audience = Pick<CliContext, 'stdout' | 'programName'>

export interface View {
  show(scene: Scene, now: number): void
}

export function viewOf({ stdout, programName }: Audience): View {
  return stdout.isTerminal ? new PictureView({ stdout, programName }) : new Lines({ stdout, programName })
}

class PictureView implements View {
  readonly #audience: Audience
  readonly #picture: Picture
  #rollout: string | undefined

  constructor(audience: Audience) {
    this.#audience = audience
    this.#picture = new Picture(audience.stdout)
  }

  show(scene: Scene, now: number): void {
    const id = scene.policy.status?.rollout?.id
    // The picture of a rollout that is over stays; the next one is drawn below.
    if (id !== this.#rollout && this.#rollout !== undefined) this.#picture.keep()
    this.#rollout = id
    this.#picture.draw(picture(scene, now, this.#audience))
  }
}

const mostColumns = 100
const mostPods = 4

export function picture(scene: Scene, now: number, audience: Reader): readonly string[] {
  const { stdout: display } = audience
  const { policy, timeline, begun, outcome, images } = scene
  const ledger = policy.status?.rollout
  const { kind, name } = policy.spec.targetRef
  const colour = paint(display)
  const columns = display.columns - 1
  const prose = (text: string) => wrapped(legible(asStarted(printableLine(text), audience), display), columns)
  const state = stateColour(policy, colour)(printableLine(stateText(policy)))
  const title = `${colour.bold(printableLine(`${kind} ${policy.metadata.namespace}/${name}`))}  ${state}`
  if (ledger === undefined) return [title, ...prose(waitText(scene)).map((line) => colour.dim(line))]
  const isOver = ledger.endedAt !== undefined
  const length = Math.max(1000, (isOver ? Date.parse(ledger.endedAt ?? '') : now) - begun)
  const { samples, bars } = timeline
  const hooks = ledger.hooks.map((hook) => hook.name)
  const way = [ledger.from, ledger.to].filter((revision) => revision !== undefined).join(' → ')
  return [
    title,
    ...prose(`${images ?? way}  ${ledger.type} ${ledger.id}, ${isOver ? 'took' : 'for'} ${span(length)}`),
    '',
    ...draw({
      ...{ samples, bars, hooks, colour, length: isOver ? withEnd(length) : length },
      columns: Math.min(display.columns, mostColumns),
    }),
    '',
    ...hookLines(scene, now, colour),
    ...podLines(scene.pods, colour),
    ...approvals(policy).flatMap(({ command, meaning }) => [`? ${meaning}:`, `  ${asStarted(command, audience)}`]),
    '',
    // How it ended is what people came for: it takes as many lines as it needs.
    ...(outcome === 'going' ? [colour.dim(legendFor(display.columns, colour))] : prose(messageOf(policy) ?? '')),
  ]
}

function legendFor(columns: number, colour: Paint): string {
  return columns >= 112 ? legend(colour) : '█ new  ░ old  ■ gate closed  □ held'
}

function hookLines({ policy }: Scene, now: number, colour: Paint): readonly string[] {
  const { hooks = [], endedAt } = policy.status?.rollout ?? {}
  const width = Math.max(largest(hooks.map(({ name }) => name.length)), 4)
  return hooks.map((hook) => hookLine(hook, { isOver: endedAt !== undefined, width, now, colour }))
}

interface HookLook {
  readonly isOver: boolean
  readonly width: number
  readonly now: number
  readonly colour: Paint
}

function hookLine(hook: HookRecord, { isOver, width, now, colour }: HookLook): string {
  const { name, point, state, attempts } = hook
  const again = attempts > 1 ? `  attempt ${attempts}` : ''
  const mark = colourOf(state, colour)(markOf(state))
  const message = colour.dim(printableLine(hookMessage(hook, { isOver, now })))
  return `${mark} ${printableLine(name).padEnd(width)}  ${printableLine(point).padEnd(7)} ${hookState(hook, { isOver }).padEnd(10)} ${hookTook(hook, now).padStart(12)}${again}  ${message}`.trimEnd()
}

/** Pods that need a look. */
function podLines(pods: readonly PodState[], colour: Paint): readonly string[] {
  const troubled = pods.filter(isTroubled)
  const lines = troubled.slice(0, mostPods).map(({ name, state, restarts, message = '' }) => {
    const again = restarts > 0 ? `, ${restarts} restart${restarts === 1 ? '' : 's'}` : ''
    return `${colour.red('!')} ${printableLine(`${name}  ${state}${again}  `)}${colour.dim(printableLine(message))}`.trimEnd()
  })
  return troubled.length > mostPods ? [...lines, `  and ${troubled.length - mostPods} more pods`] : lines
}

class Lines implements View {
  readonly #audience: Audience
  #last = ''
  #lastImages: string | undefined

  constructor(audience: Audience) {
    this.#audience = audience
  }

  show(scene: Scene, now: number): void {
    const text = line(scene)
    if (text === this.#last) return
    this.#last = text
    const { images } = scene
    if (scene.policy.status?.rollout !== undefined && images !== undefined && images !== this.#lastImages) {
      this.#lastImages = images
      this.#write(images, now)
    }
    this.#write(text, now)
  }

  #write(text: string, now: number): void {
    const time = new Date(now).toISOString().slice(11, 19)
    const { stdout } = this.#audience
    stdout.write(`${time}  ${legible(asStarted(printable(text), this.#audience), stdout)}\n`)
  }
}

/** Everything that is news, in a line. */
function line(scene: Scene): string {
  const { policy, timeline, outcome, pods } = scene
  const ledger = policy.status?.rollout
  if (ledger === undefined) return outcome === 'failed' ? `${stateOf(policy)}  ${waitText(scene)}` : waitText(scene)
  const { fresh = 0, freshReady = 0, old = 0, gate = 'open' } = timeline.last ?? {}
  const isOver = ledger.endedAt !== undefined
  const hooks = ledger.hooks.map(
    (hook) => `${hook.name}=${hookState(hook, { isOver })}${hook.attempts > 1 ? `(${hook.attempts})` : ''}`,
  )
  const troubled = pods
    .filter(isTroubled)
    .map(({ name, state, restarts }) => `${name}=${state}${restarts > 0 ? `(${restarts})` : ''}`)
  const at = ledger.point === undefined || isOver ? '' : ` at ${ledger.point}`
  return [
    `${stateOf(policy)}${at}`,
    `gate ${gate}`,
    `pods ${freshReady} of ${fresh} new ready, ${old} old`,
    [...hooks, ...troubled].join(' '),
    outcome === 'going' ? '' : (messageOf(policy) ?? ''),
  ]
    .filter((part) => part !== '')
    .join('  ')
}

/** Before the first rollout: what is waited for, or why there will be none. */
function waitText({ policy, outcome }: Scene): string {
  const stalled = outcome === 'failed' ? messageOf(policy) : undefined
  return stalled ?? 'no rollout is under way; waits for the template to change'
}
