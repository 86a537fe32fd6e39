import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import type { HookSettings } from '../config/types.ts'
import { replaceBytes } from './backlog.ts'
import type { Verdict } from './queue.ts'
import { Queues } from './queues.ts'
import { RunLimits } from './rate-limit.ts'
import { type Batch, describeTask, type Task } from './task.ts'

interface Cause {
  readonly word: string
}

let ids = 0
const task = (hook: string, word: string, more: Partial<Task<Cause>> = {}): Task<Cause> => ({
  id: String(++ids),
  hook,
  type: 'HookRun',
  bindingType: 'kubernetes',
  binding: 'pods',
  cause: { word },
  isMergeable: true,
  allowFailure: false,
  ...more,
})

interface Stage {
  readonly queues: Queues<Cause>
  /** Every run: its time in seconds, queue and words. */
  readonly runs: string[]
  put(queue: string, ...tasks: Task<Cause>[]): void
  sleep(seconds: number): Promise<void>
  /** What the next runs of a hook come to; done when nothing is said. */
  readonly verdicts: Map<string, Verdict<Cause>[]>
}

function play(
  scenario: (stage: Stage) => Promise<void>,
  { settings = {}, seconds = 1 }: { settings?: Record<string, HookSettings>; seconds?: number } = {},
): Promise<void> {
  const simulation = createSimulation(1)
  return simulation.run(async () => {
    const { clock } = simulation
    const runs: string[] = []
    const verdicts = new Map<string, Verdict<Cause>[]>()
    const ending = new AbortController()
    const started = clock.monotonic()
    const work = async (batch: Batch<Cause>, queue: string): Promise<Verdict<Cause>> => {
      const at = (clock.monotonic() - started) / 1000
      runs.push(`${at} ${queue} ${batch.first.hook}: ${batch.tasks.map(({ cause }) => cause.word).join(' ')}`)
      await clock.sleep(seconds * 1000)
      return verdicts.get(batch.first.hook)?.shift() ?? { kind: 'done' }
    }
    const queues = new Queues<Cause>(
      {
        clock,
        limits: new RunLimits(clock, (hook) => settings[hook]),
        supersede: (earlier, later) => (earlier.word === 'keep' && later.word !== 'keep' ? undefined : later),
        retry: { backoff: 3000, maxBackoff: 10_000 },
        work,
        changed: () => undefined,
      },
      ending.signal,
    )
    await scenario({
      queues,
      runs,
      verdicts,
      put: (queue, ...tasks) => {
        for (const one of tasks) queues.put(queue, one)
      },
      sleep: (wanted) => clock.sleep(wanted * 1000),
    })
    ending.abort()
    await queues.ended()
  })
}

describe('queue', () => {
  it('[addons Q1, Q2] runs one task at a time, in the order they came', () =>
    play(async ({ put, runs, sleep }) => {
      put('main', task('a', '1'), task('b', '2'), task('a', '3'))
      await sleep(10)
      expect(runs).toEqual(['0 main a: 1', '1 main b: 2', '2 main a: 3'])
    }))

  it('removes the waiting tasks of a hook that is removed, and finishes the running one', () =>
    play(async ({ queues, put, runs, sleep }) => {
      put('main', task('a', 'now', { isMergeable: false }), task('a', 'later'), task('b', 'next'))
      put('own', task('a', 'now', { isMergeable: false }), task('a', 'later'))
      await sleep(0.5)
      queues.drop('a')
      await sleep(5)
      expect(runs).toEqual(['0 main a: now', '0 own a: now', '1 main b: next'])
    }))

  it('[addons W17] works in parallel with queues of other names', () =>
    play(async ({ put, runs, sleep }) => {
      put('main', task('a', '1'))
      put('other', task('a', '2'))
      await sleep(10)
      expect(runs).toEqual(['0 main a: 1', '0 other a: 2'])
    }))

  it('[addons N3] lets adjacent tasks of one hook share a run, but not those with another hook between them', () =>
    play(async ({ put, runs, sleep }) => {
      put('main', task('x', '0'))
      await sleep(0.5)
      put('main', task('a', '1'), task('a', '2'), task('b', '3'), task('a', '4'))
      await sleep(10)
      expect(runs.slice(1)).toEqual(['1 main a: 1 2', '2 main b: 3', '3 main a: 4'])
    }))

  it('[addons N4, X5] does not merge tasks that are not mergeable', () =>
    play(async ({ put, runs, sleep }) => {
      const alone = { isMergeable: false }
      put('main', task('x', '0'))
      put('main', task('a', '1'), task('a', '2', alone), task('a', '3'), task('v0', '4', alone), task('v0', '5', alone))
      await sleep(10)
      expect(runs.slice(1)).toEqual(['1 main a: 1', '2 main a: 2', '3 main a: 3', '4 main v0: 4', '5 main v0: 5'])
    }))

  it('merges a thousand tasks at most', () =>
    play(async ({ put, runs, sleep }) => {
      put('main', task('x', '0'), ...Array.from({ length: 1500 }, (_, index) => task('a', `${index}`)))
      await sleep(10)
      expect(runs.slice(1).map((run) => run.split(' ').length - 3)).toEqual([1000, 500])
    }))

  it('[addons Q3, Q4] retries a failed batch unchanged, before all other tasks', () =>
    play(async ({ put, runs, verdicts, sleep, queues }) => {
      verdicts.set('a', [{ kind: 'failed' }, { kind: 'failed' }, { kind: 'failed' }, { kind: 'failed' }])
      put('main', task('a', '1'), task('b', '2'))
      put('other', task('c', '3'))
      await sleep(2)
      put('main', task('a', '4'))
      expect(queues.list()[0]?.status).toEqual({ kind: 'retrying', delay: 3000 })
      await sleep(60)
      const expected = ['0 main a: 1', '0 other c: 3', '4 main a: 1', '11 main a: 1', '22 main a: 1', '33 main a: 1']
      expect(runs).toEqual([...expected, '34 main b: 2', '35 main a: 4'])
    }))

  it('[addons N1] runs the tasks that a task returned before all others', () =>
    play(async ({ put, runs, verdicts, sleep }) => {
      verdicts.set('a', [{ kind: 'done', next: [task('c', 'first'), task('b', 'second')] }])
      put('main', task('a', '1'), task('b', '2'))
      await sleep(10)
      expect(runs.slice(1)).toEqual(['1 main c: first', '2 main b: second 2'])
    }))

  it('[addons W20, Z12] delays only the hook that runs too often', () =>
    play(
      async ({ put, runs, sleep }) => {
        put('main', task('a', '1'))
        await sleep(1.5)
        put('main', task('a', '2'), task('b', '3'), task('a', '4'), task('b', '5'))
        await sleep(2)
        put('main', task('b', '6'))
        await sleep(20)
        expect(runs).toEqual(['0 main a: 1', '1.5 main b: 3 5', '3.5 main b: 6', '5 main a: 2 4'])
      },
      { settings: { a: { executionMinInterval: 5000, executionBurst: 1 } } },
    ))

  it('runs a burst at once and then once per interval', () =>
    play(
      async ({ put, runs, sleep }) => {
        for (let index = 0; index < 4; index++) put('main', task('a', `${index}`, { isMergeable: false }))
        await sleep(60)
        expect(runs).toEqual(['0 main a: 0', '1 main a: 1', '10 main a: 2', '20 main a: 3'])
      },
      { settings: { a: { executionMinInterval: 10_000, executionBurst: 2 } } },
    ))

  it('[addons N7, Z6] bounds the tasks of a storm, keeps their order and the last task of each subject', () =>
    play(async ({ put, queues, runs, sleep }) => {
      put('main', task('x', '0'))
      for (let index = 0; index < 100_000; index++) {
        for (const hook of ['a', 'b']) put('main', task(hook, `${index}`, { subject: `${index % 500}` }))
      }
      const [main] = queues.list()
      expect(main?.length).toBe(1 + 2 * 1000)
      const words = Array.from(main?.tasks() ?? [], ({ task: one }) => one.cause.word)
      const of = words.slice(1).filter((_, index) => index % 2 === 0)
      expect(of.map(Number)).toEqual(of.map(Number).toSorted((one, other) => one - other))
      expect(of.slice(-500)).toEqual(Array.from({ length: 500 }, (_, index) => `${99_500 + index}`))
      await sleep(3000)
      expect(runs).toHaveLength(2001)
    }))

  it('[addons N7, Z6] bounds a few large tasks by their bytes, with the last task of each subject', () =>
    play(async ({ put, queues }) => {
      put('main', task('a', 'first'))
      for (let index = 0; index < 900; index++)
        put('main', task('a', `${index}`, { subject: `${index % 10}`, bytes: replaceBytes / 20 }))
      const words = Array.from(queues.list()[0]?.tasks() ?? [], ({ task: one }) => one.cause.word)
      // 20 fill the bound; then each of the 10 objects has one, its last.
      expect(words.length).toBeLessThanOrEqual(1 + 20)
      expect(words.slice(-10)).toEqual(Array.from({ length: 10 }, (_, index) => `${890 + index}`))
    }))

  it('counts the bytes of waiting tasks only', () =>
    play(async ({ put, runs, sleep }) => {
      for (let index = 0; index < 30; index++)
        put('main', task('a', 'large', { bytes: replaceBytes / 20, isMergeable: false }))
      await sleep(25.5)
      for (const word of ['1', '2', '3']) put('main', task('a', word, { subject: 's', bytes: 1 }))
      await sleep(10)
      expect(runs.at(-1)).toBe('30 main a: 1 2 3')
    }))

  it('keeps two tasks of a subject where the later does not replace the earlier, but no more than two', () =>
    play(async ({ put, queues }) => {
      put('main', task('a', '0'), ...Array.from({ length: 1000 }, (_, index) => task('a', `${index}`)))
      for (let index = 0; index < 1000; index++)
        for (const word of ['keep', 'other']) put('main', task('a', word, { subject: 's' }))
      const words = Array.from(queues.list()[0]?.tasks() ?? [], ({ task: one }) => one.cause.word)
      expect(words.slice(1001)).toEqual(['keep', 'other'])
    }))

  it('limits only runs, not the other tasks of a hook', () =>
    play(
      async ({ put, runs, sleep }) => {
        const enable = { type: 'EnableKubernetesBindings', isMergeable: false } as const
        put('main', task('a', 'enable', enable), task('a', 'run', { isMergeable: false }), task('a', 'again', enable))
        await sleep(60)
        expect(runs).toEqual(['0 main a: enable', '1 main a: run', '2 main a: again'])
      },
      { settings: { a: { executionMinInterval: 10_000, executionBurst: 1 } } },
    ))

  it('starts nothing after its signal has aborted', () =>
    play(async ({ put, runs, verdicts, queues, sleep }) => {
      verdicts.set('a', [{ kind: 'stopped' }])
      put('main', task('a', '1'))
      await sleep(0.5)
      put('main', task('b', '2'))
      expect(queues.list()[0]?.length).toBe(2)
      expect(runs).toEqual(['0 main a: 1'])
    }))
})

describe('describeTask', () => {
  it('names type, queue, binding and failures', () => {
    expect(describeTask(task('a.sh', ''), 'main', 1)).toBe('HookRun:main:kubernetes:a.sh:pods:failures 1')
    const enable = task('a.sh', '', { type: 'EnableKubernetesBindings' })
    expect(describeTask(enable, 'main', 0)).toBe('EnableKubernetesBindings:main:a.sh:failures 0')
  })
})
