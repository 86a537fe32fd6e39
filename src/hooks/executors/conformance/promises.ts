/**
 * The promises of the `Executor` interface, each with a check that any executor can be put through. A check throws what is not kept.
 */
import { failureReasons, type Observation } from '../../outcome/index.ts'
import type { Run } from '../../run/index.ts'
import type { ExecutorFamily } from '../executor.ts'
import { type ExecutorWorld, printedLine } from './world.ts'

export interface ExecutorPromise {
  readonly name: string
  /** What the promise says for each family, in the words of the reference page; undefined where it cannot be broken. */
  readonly says: Readonly<Record<ExecutorFamily, string | undefined>>
  check(world: ExecutorWorld, family: ExecutorFamily): Promise<void>
}

export const run: Run = {
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'default', name: 'web', uid: 'u-web' },
  ...{ lifecycle: 'r1', point: '50%', hook: 'check', attempt: 1 },
}

export const promises: readonly ExecutorPromise[] = [
  {
    name: 'starting twice runs once',
    says: { declared: 'one object', attended: 'one process, call or request', awaited: 'one request' },
    async check(world) {
      const executor = world.executor()
      await Promise.all([executor.start(run, world.action(run)), executor.start(run, world.action(run))])
      await world.settle()
      await executor.start(run, world.action(run))
      await world.settle()
      expectState(executor.observe(run), 'running')
      await world.end(run, 'success')
      await world.settle()
      await executor.start(run, world.action(run))
      await world.settle()
      expectState(executor.observe(run), 'succeeded')
      expectEqual(world.starts(run), 1, 'starts')
    },
  },
  {
    name: 'a failure has a reason',
    says: { declared: 'failed', attended: 'failed', awaited: 'failed' },
    async check(world) {
      const executor = world.executor()
      await executor.start(run, world.action(run))
      await world.settle()
      await world.end(run, 'failure')
      await world.settle()
      const seen = executor.observe(run)
      if (seen.state !== 'failed') throw new Error(`the run is ${seen.state}, not failed`)
      if (!failureReasons.includes(seen.reason)) throw new Error(`${seen.reason} is not a known reason`)
    },
  },
  {
    name: 'observe after a restart',
    says: {
      declared: 'as before the restart',
      attended: 'absent: the run ended with the process',
      awaited: 'as before the restart',
    },
    async check(world, family) {
      await world.executor().start(run, world.action(run))
      await world.settle()
      await world.restart()
      await world.settle()
      const executor = world.executor()
      if (family === 'attended') {
        expectState(executor.observe(run), 'absent')
        expectEqual(await world.isUnderWay(run), false, 'under way')
        return
      }
      expectState(executor.observe(run), 'running')
      await world.end(run, 'success')
      await world.settle()
      expectState(executor.observe(run), 'succeeded')
      expectEqual(world.starts(run), 1, 'starts')
    },
  },
  {
    name: 'cancel',
    says: { declared: 'the object is deleted', attended: 'the run is ended', awaited: 'the request is withdrawn' },
    async check(world) {
      const executor = world.executor()
      await executor.cancel(run)
      await executor.start(run, world.action(run))
      await world.settle()
      await executor.cancel(run)
      await world.settle()
      expectState(executor.observe(run), 'absent')
      expectEqual(await world.isUnderWay(run), false, 'under way')
      await executor.cancel(run)
    },
  },
  {
    name: 'logs',
    says: { declared: 'of its pods', attended: 'the last lines printed, none of a request', awaited: 'none' },
    async check(world, family) {
      const executor = world.executor()
      const before = await linesOf(world)
      expectEqual(before.length, 0, 'lines before the start')
      await executor.start(run, world.action(run))
      await world.settle()
      const lines = await linesOf(world)
      if (lines.length > 0 || family === 'declared') expectEqual(lines.includes(printedLine), true, 'line printed')
    },
  },
  {
    name: 'a lost run is noticed',
    says: {
      declared: 'lost, when someone else deletes the object',
      attended: 'absent, although a record says it was started',
      awaited: undefined,
    },
    async check(world, family) {
      await world.executor().start(run, world.action(run))
      await world.settle()
      if (family === 'attended') await world.restart()
      else await world.vanish?.(run)
      await world.settle()
      const seen = world.executor().observe(run)
      expectState(seen, family === 'attended' ? 'absent' : 'lost')
    },
  },
  {
    name: 'a name taken by a foreign object',
    says: {
      declared: 'NameTaken; the object stays as it is',
      attended: undefined,
      awaited: 'a decision about another attempt does not count',
    },
    async check(world, family) {
      const executor = world.executor()
      const isIntact = await world.occupyName?.(run)
      let changes = 0
      await executor.start(run, world.action(run), () => {
        changes += 1
      })
      await world.settle()
      const seen = executor.observe(run)
      if (family === 'awaited') expectState(seen, 'running')
      else {
        expectEqual(seen.state === 'failed' && seen.reason, 'NameTaken', 'reason')
        expectEqual(changes, 1, 'notices of the change')
      }
      await executor.cancel(run)
      expectEqual(await isIntact?.(), true, 'foreign object intact')
    },
  },
]

async function linesOf(world: ExecutorWorld): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { text } of world.executor().logs(run)) lines.push(text)
  return lines
}

function expectState(seen: Observation, state: Observation['state']): void {
  const message = 'message' in seen ? ` (${seen.message})` : ''
  if (seen.state !== state) throw new Error(`the run is ${seen.state}${message}, not ${state}`)
}

function expectEqual<T>(actual: T, expected: T, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)}, not ${String(expected)}`)
}
