/** `rollout explain` against the engine itself. */
import { expect, it } from 'vitest'
import { explanationText } from '../../src/cli/rollout/explain.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { handlerTransport } from '../../src/kube/transport/handler.ts'
import { explainPolicy, recordWorld } from '../../src/rollouts/index.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { HttpHandler } from '../../src/runtime/http.ts'
import { at, job, play, type Stage } from './rollouts.ts'

const hooks = [
  { name: 'migrate', trigger: at(0), jobSpec: job() },
  { name: 'smoke', trigger: at(1), jobSpec: job() },
]
const isRunning = ({ status }: RolloutPolicy) =>
  status?.rollout?.hooks.some(({ state }) => state === 'Running') ?? false
const explain = ({ client, runtime }: Stage, policy: RolloutPolicy) =>
  explainPolicy(client, runtime, policy, new AbortController().signal)

it('finds the situation the engine is in, and nothing to write while a hook runs', () =>
  play(211, async (stage) => {
    await stage.running('Deployment', 2)
    await stage.policy({ lifecycleHooks: hooks })
    await stage.roll(2)
    const policy = await stage.untilPolicy(isRunning)
    await stage.runtime.clock.sleep(1_000)
    const text = explanationText(await explain(stage, policy))
    expect(text).toMatch(
      /^RolloutPolicy default\/web for Deployment web\nsituation {2}RunningHooks: The workload has reached a point/,
    )
    expect(text).toContain('\nwrites     nothing\n')
  }))

it('says what the engine writes next, and why, when no engine runs', () =>
  play(
    212,
    async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: hooks })
      await stage.runtime.clock.sleep(5_000)
      await stage.down()
      await stage.roll(2)
      await stage.runtime.clock.sleep(1_000)
      const before = stage.written()
      const policy = await stage.untilPolicy(() => true)
      const explained = await explain(stage, policy)
      expect(explained.situation.name).toBe('Starting')
      expect(explanationText(explained)).toMatch(/\n {11}start-hook migrate, attempt 1\n/)
      expect(recordWorld(explained.world, explained.now, explained)).toMatchObject({ situation: 'Starting' })
      expect(stage.written()).toBe(before)
    },
    { use: 'at-rest' },
  ))

it('fails with the answer of the API server where something may not be read', () =>
  play(213, async (stage) => {
    await stage.running('Deployment', 2)
    await stage.policy({ lifecycleHooks: hooks })
    const policy = await stage.untilPolicy(() => true)
    const refusal = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'cannot list' }
    const refuse: HttpHandler = async () => ({
      ...{ status: 403, headers: { 'content-type': 'application/json' } },
      body: new TextEncoder().encode(JSON.stringify(refusal)),
    })
    const client = createClient({ transport: handlerTransport(refuse), runtime: stage.runtime })
    await expect(explain({ ...stage, client }, policy)).rejects.toThrow('cannot list')
  }))
