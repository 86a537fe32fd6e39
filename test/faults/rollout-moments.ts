/**
 * Moments in the middle of a play: the cluster, and how far the people in it are. A play may go on from one, without the engine that was at
 * work until then; every other process starts again, and finds what was there.
 */
import type { Crash, Succession } from '../../src/cli/rollout/simulation/engines.ts'
import type { KubeObject } from '../../src/kube/index.ts'
import type { Pod } from '../../src/kube/kinds/index.ts'
import type { Clock, Instant } from '../../src/runtime/clock.ts'
import type { ApiServer } from '../../src/sandbox/index.ts'
import type { Script } from '../../src/sandbox/nodes/simulate/behaviour.ts'
import { annotationPrefix, duration } from '../../src/sandbox/nodes/simulate/behaviour.ts'
import type { User } from './rollout-user.ts'
import type { Seen } from './rollout-watch.ts'

export interface Moment {
  readonly state: ApiServer['state']
  readonly at: Instant
  /** Writes of engines, and what hooks they made. */
  readonly writes: number
  readonly created: readonly string[]
  /** How much engines had heard. */
  readonly heard: number
  readonly progress: Progress
}

/** How far the user is. */
export interface Progress {
  /** Steps that are done. */
  readonly done: number
  /** Milliseconds since the present one began. */
  readonly since: number
}

/** The moments of one play, before and after each write. */
export class Moments {
  readonly #known = new Map<string, Moment>()
  /** What was seen of the whole play. */
  seen: Seen = { sets: [], pods: [], workloads: [], policies: [] }

  note(when: Crash['when'], write: number, moment: Moment): void {
    this.#known.set(`${when} ${write}`, moment)
  }

  /** Undefined while the user was writing: it is unknown whether the write had reached the server. */
  at({ when, write }: Crash): Moment | undefined {
    return this.#known.get(`${when} ${write}`)
  }

  /**
   * What a fault meets there: those that meet the same are the same play, event by event. A deaf engine lives on, and it matters what it heard
   * until then; of an engine that dies only the cluster remains.
   */
  encounter({ when, write, how = 'restart' }: Crash): string | undefined {
    const moment = this.at({ when, write })
    if (moment === undefined) return undefined
    const { state, at, heard, writes, progress } = moment
    if (how !== 'restart' && how !== 'takeover') return `heard ${heard} at ${at}`
    // How long there is no engine depends on the number of the write.
    return `revision ${state.revision} at ${at} step ${progress.done}${how === 'restart' ? ` write ${writes}` : ''}`
  }

  /** What had been seen until then. */
  seenUntil({ state }: Moment): Seen {
    const until = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
      objects.filter(({ metadata }) => Number(metadata.resourceVersion) <= state.revision)
    const { sets, pods, workloads, policies } = this.seen
    return { sets: until(sets), pods: until(pods), workloads: until(workloads), policies: until(policies) }
  }
}

/** Where a play goes on. */
export interface GoingOn {
  readonly moments: Moments
  readonly moment: Moment
  readonly how: Succession['how']
}

/** A user who knows how far the play is, and does not repeat steps that are done. */
export class Diary {
  readonly user: User
  readonly #clock: Clock
  readonly #before: Progress
  #done = 0
  #begun = 0
  /** When the present step began. */
  #since = 0
  #isWriting = false

  constructor(clock: Clock, user: User, before: Progress = { done: 0, since: 0 }) {
    this.#clock = clock
    this.#before = before
    const write = async (act: () => Promise<void>) => {
      this.#isWriting = true
      await act()
      this.#isWriting = false
    }
    this.user = {
      roll: (...given) => this.#step(() => write(() => user.roll(...given))),
      scale: (...given) => this.#step(() => write(() => user.scale(...given))),
      tell: (...given) => this.#step(() => write(() => user.tell(...given))),
      until: (...given) => this.#step(() => user.until(...given)),
      sleep: (seconds) => this.#step((since) => user.sleep(Math.max(0, seconds - since / 1000))),
    }
  }

  /** Undefined in the middle of a write. */
  get progress(): Progress | undefined {
    if (this.#isWriting) return undefined
    return { done: this.#done, since: this.#begun === this.#done ? 0 : this.#clock.monotonic() - this.#since }
  }

  async #step(act: (since: number) => Promise<void>): Promise<void> {
    this.#begun++
    const { done, since } = this.#before
    if (this.#begun > done) {
      this.#since = this.#clock.monotonic()
      await act(this.#begun === done + 1 ? since : 0)
    }
    this.#done++
  }
}

/** Containers that nodes find running go on for the rest of their time, as if they had run all along. */
export function goingOn(clock: Clock): Script {
  return ({ metadata, status }: Pod, { name }) => {
    const runFor = metadata.annotations?.[`${annotationPrefix}run-for`]
    const running = status?.containerStatuses?.find((one) => one.name === name)?.state?.running
    if (runFor === undefined || running === undefined) return undefined
    const ran = clock.now() - Date.parse(running.startedAt ?? '')
    return { runFor: Math.max(0, (duration(runFor) ?? 0) - ran) }
  }
}
