/** What people tell and ask a rollout, by the functions that the commands call. */
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../../src/cli/context.ts'
import { abortRollout } from '../../src/cli/rollout/abort.ts'
import { look } from '../../src/cli/rollout/follow.ts'
import { entryText } from '../../src/cli/rollout/logs.ts'
import { findOnly } from '../../src/cli/rollout/policies.ts'
import { streamHooks } from '../../src/cli/rollout/stream.ts'
import { undoRollout } from '../../src/cli/rollout/undo.ts'
import { readJournal } from '../../src/hooks/journal/journal.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { pageOf } from '../../src/rollouts/reports/reports.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const placeOf = ({ client }: Stage) => ({ client, namespace: 'default' })
const isRunning = (hook: string) => (policy: RolloutPolicy) =>
  policy.status?.rollout?.hooks.some(({ name, state }) => name === hook && state === 'Running') ?? false

function terminal({ runtime }: Stage, written: string[]): CliContext {
  const stdout = { write: (text: string) => void written.push(text), isTerminal: false, columns: 80 }
  const signal = new AbortController().signal
  return {
    runtime,
    stdout,
    stderr: stdout,
    readStdin: async () => new Uint8Array(),
    exit: () => {},
    signal,
    programName: '',
  }
}

describe('abort', () => {
  it('ends a rollout under way, and only one that is', () =>
    play(80, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ 'run-for': '1h' }) }] })
      await expect(abortRollout(placeOf(stage), 'web')).rejects.toMatchObject({ code: 'CRB_USAGE' })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isRunning('migrate'))
      expect(await abortRollout(placeOf(stage), 'deployment/web')).toBe(status?.rollout?.id)
      expect((await look(placeOf(stage), 'web')).outcome).toBe('going')
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Aborted')
      expect((await look(placeOf(stage), 'web')).outcome).toBe('failed')
      expect(await stage.versions()).toEqual({ v1: 2 })
    }))
})

describe('undo', () => {
  it('goes back to where the last rollout came from', () =>
    play(81, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [{ name: 'tell', trigger: at('100%'), jobSpec: job({ 'run-for': '1s' }) }] })
      await expect(undoRollout(placeOf(stage), 'web')).rejects.toMatchObject({ code: 'CRB_USAGE' })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      expect(await undoRollout(placeOf(stage), 'web')).toBe(status?.rollout?.from)
      await stage.untilPolicy((policy) => isOver(policy) && policy.status?.rollout?.id !== status?.rollout?.id)
      expect(await stage.versions()).toEqual({ v1: 2 })
    }))
})

describe('logs', () => {
  it('follow hooks as they run until the rollout has ended', () =>
    play(82, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ log: 'step one\nstep two' }) },
          { name: 'smoke', trigger: at('50%'), jobSpec: job({ log: 'broken', 'exit-code': '1' }) },
        ],
      })
      await stage.roll(2)
      const policy = await stage.untilPolicy(isRunning('migrate'))
      const written: string[] = []
      const outcome = await streamHooks(terminal(stage, written), placeOf(stage), policy, {
        follow: true,
        isWanted: () => true,
      })
      expect(outcome).toBe('failed')
      expect(written.join('')).toBe(
        [
          '--> migrate at 0: running',
          'migrate | step one',
          'migrate | step two',
          '--> smoke at 50%: running',
          'smoke | broken',
          '',
        ].join('\n'),
      )
    }))

  it('tell of each run how it ended and what it said', () =>
    play(83, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ log: 'no', 'exit-code': '1' }) }],
      })
      await stage.roll(2)
      const policy = await stage.untilPolicy(isOver)
      await stage.runtime.clock.sleep(1000)
      expect((await findOnly(placeOf(stage), undefined)).metadata.name).toBe('web')
      const [entry] = await readJournal(stage.client, pageOf(policy))
      const text = entry === undefined ? '' : entryText(terminal(stage, []), entry)
      expect(text).toMatch(
        /^--> migrate at 0, web-\w+ \(revision 2\): failed after \d+ s\n {4}BackoffLimitExceeded: .*\nno\n$/,
      )
    }))
})
