/** The functions behind the rollout commands. */
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../../src/cli/context.ts'
import type { Place } from '../../src/cli/place.ts'
import { abortRollout } from '../../src/cli/rollout/abort.ts'
import { answer } from '../../src/cli/rollout/approve.ts'
import { detailOf } from '../../src/cli/rollout/detail/detail.ts'
import { look } from '../../src/cli/rollout/follow.ts'
import { entryText, showLogs } from '../../src/cli/rollout/logs.ts'
import { findOnly } from '../../src/cli/rollout/policies.ts'
import { listed, statusData, statusListing } from '../../src/cli/rollout/status.ts'
import { statusText } from '../../src/cli/rollout/status-text.ts'
import { streamHooks } from '../../src/cli/rollout/stream.ts'
import { undoRollout } from '../../src/cli/rollout/undo.ts'
import { Watching } from '../../src/cli/rollout/watching.ts'
import { list } from '../../src/cli/terminal/listing.ts'
import { readJournal } from '../../src/hooks/index.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject, ResourceType } from '../../src/kube/object.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { Workload } from '../../src/rollouts/policy/workload.ts'
import { pageOf } from '../../src/rollouts/reports/reports.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const pipe = { isTerminal: false, columns: 80 }
const reader = { programName: 'carabiner', stdout: pipe }
const placeOf = ({ client }: Stage) => ({ client, namespace: 'default' })
const isRunning = (hook: string) => (policy: RolloutPolicy) =>
  policy.status?.rollout?.hooks.some(({ name, state }) => name === hook && state === 'Running') ?? false

/** A client whose watch events of one type are delayed. */
function listeningLate({ client, runtime }: Stage, late: ResourceType): KubeClient {
  async function* delayed<T>(events: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
    for await (const event of events) {
      await runtime.clock.sleep(5000, signal)
      yield event
    }
  }
  const of: KubeClient['of'] = (type) => {
    const handle = client.of<never>(type)
    if (type !== late) return handle
    const watch: typeof handle.watch = (options) => delayed(handle.watch(options), options?.signal)
    const gather: typeof handle.gather = (...given) => handle.gather(...given)
    const list: typeof handle.list = (options) => handle.list(options)
    return { type, watch, gather, list } as typeof handle
  }
  return { of } as KubeClient
}

function terminal({ runtime }: Stage, written: string[], isTerminal = false): CliContext {
  const stdout = { write: (text: string) => void written.push(text), isTerminal, columns: 80 }
  const signal = new AbortController().signal
  return {
    runtime,
    stdout,
    stderr: stdout,
    readStdin: async () => new Uint8Array(),
    exit: () => {},
    signal,
    leave: () => {},
    programName: '',
  }
}

describe('status', () => {
  it('explains why a running hook has not started', () =>
    play(93, async (stage) => {
      await stage.running('Deployment', 1)
      const quotas = await stage.client.find('v1', 'ResourceQuota')
      await quotas.create({
        ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace: 'default' } },
        ...{ spec: { hard: { 'count/jobs.batch': '0' } } },
      } as KubeObject)
      await stage.runtime.clock.sleep(10_000)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.roll(2)
      await stage.untilEvent('HookNotStarted')
      await stage.runtime.clock.sleep(1000)
      const { policy } = await look(placeOf(stage), 'web')
      expect(statusText(await detailOf(placeOf(stage), policy), stage.runtime.clock.now(), reader)).toMatch(
        /\nmigrate +0 +Running +1 +[\d.]+ s +not started: .*exceeded quota: none/,
      )
    }))

  it('explains why rollouts run without hooks', () =>
    play(89, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      const states = async (reason: string) => {
        const policy = await stage.untilPolicy(
          ({ status }) => status?.conditions?.some((one) => one.type === 'Ready' && one.reason === reason) ?? false,
        )
        return list([policy], 'wide', statusListing('default', pipe), pipe).split('\n')[1]?.split(/ {3,}/)
      }
      await stage.changePolicy({ suspend: true })
      const asleep = ['Suspended', 'the policy is suspended: rollouts pass without hooks']
      expect(await states('Suspended')).toEqual(['default', 'web', 'deployment/web', ...asleep])
      await stage.changePolicy({ suspend: false })
      expect(await states('AtRest')).toContain('AtRest')
      await stage.label('carabiner.dev/release', 'true')
      expect(await states('Released')).toContain('Released')
      await stage.change({ metadata: { labels: { 'carabiner.dev/release': null } } })
      expect(await states('AtRest')).toContain('AtRest')
    }))
})

describe('status for programs', () => {
  it('prints the same data for lists as for one policy, also before the operator observed it', () =>
    play(
      101,
      async (stage) => {
        const here = placeOf(stage)
        const there = { ...here, namespace: 'other' }
        const one = async (place: Place) => statusData(await look(place, 'web'))
        const all = async (everywhere: boolean) => JSON.parse(await listed(here, everywhere, 'json', pipe)) as unknown
        expect(await all(true)).toEqual([])
        await stage.running('Deployment', 1)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        const { apiVersion, kind, metadata, spec, status } = await stage.untilPolicy(() => true)
        await stage.down()
        const name = 'other'
        await stage.client.of(resources.namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
        const policies = stage.client.of<RolloutPolicy>(policyType)
        await policies.create({ apiVersion, kind, metadata: { name: metadata.name, namespace: name }, spec })
        await policies.patch('web', { type: 'merge', value: { status } }, { namespace: name, subresource: 'status' })
        await stage.roll(2)
        expect(await all(false)).toEqual([await one(here)])
        expect(await all(true)).toEqual([await one(here), await one(there)])
        expect([await one(here), await one(there)]).toMatchObject([
          { policy: { name: 'web', namespace: 'default' }, outcome: 'going' },
          { policy: { name: 'web', namespace: 'other' }, outcome: 'settled' },
        ])
        expect(await listed(here, false, 'yaml', pipe)).toMatch(/^- policy:\n {4}name: web\n/)
      },
      { use: 'at-rest' },
    ))
})

describe('abort', () => {
  it('aborts only a running rollout', () =>
    play(80, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ 'run-for': '1h' }) }] })
      await expect(abortRollout(placeOf(stage), 'web')).rejects.toMatchObject({ code: 'CRB_USAGE' })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isRunning('migrate'))
      expect(await abortRollout(placeOf(stage), 'deployment/web')).toMatchObject({
        id: status?.rollout?.id,
        isEmpty: false,
      })
      expect((await look(placeOf(stage), 'web')).outcome).toBe('going')
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Aborted')
      expect((await look(placeOf(stage), 'web')).outcome).toBe('failed')
      expect(await stage.versions()).toEqual({ v1: 2 })
    }))
})

describe('undo', () => {
  it('explains why it is not possible', () =>
    play(85, async (stage) => {
      await stage.running('Deployment', 2, { revisionHistoryLimit: 0 })
      await stage.policy({ lifecycleHooks: [{ name: 'tell', trigger: at('100%'), jobSpec: job({ 'run-for': '1s' }) }] })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      await stage.runtime.clock.sleep(10_000)
      await expect(undoRollout(placeOf(stage), 'web')).rejects.toThrow(/^web: revision web-.* is gone/)
      await stage.roll(3)
      await stage.untilPolicy(isRunning('tell'))
      await stage.change({ metadata: { labels: { 'carabiner.dev/release': 'true' } } })
      const { status } = await stage.untilPolicy((policy) => policy.status?.rollout?.phase === 'Cancelled')
      await expect(undoRollout(placeOf(stage), 'web')).rejects.toMatchObject({
        message: `web: its last rollout, to ${status?.rollout?.to}, has been overtaken or let go`,
        remedy: 'See how far it is: carabiner rollout status -n default web',
      })
    }))

  it('returns to the revision before the last rollout', () =>
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
  it('show a running hook next to earlier rollouts and explain missing logs', () =>
    play(86, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ log: 'hello' }) }] })
      const written: string[] = []
      const shown = async (options: Omit<Parameters<typeof showLogs>[3], 'format'>) => {
        written.length = 0
        await showLogs(terminal(stage, written), placeOf(stage), await findOnly(placeOf(stage), 'web'), {
          ...options,
          format: 'text',
        })
        return written.join('')
      }
      expect(await shown({})).toBe('web has had no rollout yet\n')
      await expect(shown({ hook: 'migrat' })).rejects.toMatchObject({
        code: 'CRB_USAGE',
        message: 'web has no hook migrat; it has migrate',
      })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      await stage.runtime.clock.sleep(60_000)
      await expect(shown({ revision: '9' })).rejects.toMatchObject({
        code: 'CRB_USAGE',
        message: 'no run of a hook is known for revision 9 of web',
      })
      await stage.changePolicy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ log: 'hello' }) },
          { name: 'smoke', trigger: at(0), jobSpec: job() },
        ],
      })
      expect(await shown({ revision: '2', hook: 'migrate' })).toMatch(/succeeded \d+s ago after/)
      expect(await shown({ revision: '2', hook: 'smoke' })).toBe('hook smoke of web has not ended in revision 2\n')
      await stage.roll(3)
      await stage.untilPolicy(
        ({ status }) => status?.rollout?.hooks[0]?.object !== undefined && status.rollout.endedAt === undefined,
      )
      expect(await shown({ all: true })).toMatch(/succeeded \d+s ago after(.|\n)*--> migrate at 0: running\n/)
    }))

  it('follow hooks until the rollout has ended', () =>
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
      expect(written.join('').replace(/web-smoke-\S+:/, 'web-smoke:')).toBe(
        [
          '--> migrate at 0: running',
          'migrate | step one',
          'migrate | step two',
          '--> migrate at 0: succeeded',
          '--> smoke at 50%: running',
          'smoke | broken',
          '--> smoke at 50%: failed, BackoffLimitExceeded: Job has reached the specified backoff limit; pod web-smoke: Error: container main ended with exit code 1',
          '',
        ].join('\n'),
      )
    }))

  it('end with the rollout although a hook was deleted before its log was read', () =>
    play(88, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [{ name: 'migrate', trigger: at(0), retainPolicy: 'Never', jobSpec: job() }],
      })
      await stage.roll(2)
      const before = await stage.untilPolicy(
        ({ status }) => status?.rollout?.hooks[0]?.object !== undefined && status.rollout.endedAt === undefined,
      )
      await stage.untilPolicy(isOver)
      await stage.runtime.clock.sleep(10_000)
      const written: string[] = []
      const outcome = await streamHooks(terminal(stage, written), placeOf(stage), before, {
        follow: true,
        isWanted: () => true,
      })
      expect(outcome).toBe('settled')
      expect(written.join('')).toMatch(
        /^--> migrate at 0: running\nmigrate \| \(gone .*\)\n--> migrate at 0: succeeded\n$/,
      )
    }))

  it('show logs of finished hooks before they are in the journal, and pending approvals', () =>
    play(95, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ log: 'hello', 'run-for': '1s' }) },
          { name: 'ask', trigger: at('100%'), approval: { message: 'continue?' } },
        ],
      })
      await stage.roll(2)
      const policy = await stage.untilPolicy(isRunning('ask'))
      expect(await readJournal(stage.client, pageOf(policy))).toEqual([])
      const shown = async (options: Omit<Parameters<typeof showLogs>[3], 'format'>) => {
        const written: string[] = []
        await showLogs(terminal(stage, written), placeOf(stage), policy, { ...options, format: 'text' })
        return written.join('')
      }
      const said = '--> migrate at 0: succeeded\nmigrate | hello\n'
      expect(await shown({})).toBe(`${said}--> ask at 100%: running, continue?\n`)
      expect(await shown({ hook: 'migrate', revision: policy.status?.rollout?.to ?? '' })).toBe(said)
    }))

  it('show the outcome of HTTP calls and approvals, which have no log', () =>
    play(94, async (stage) => {
      const { runtime } = stage
      const body = new TextEncoder().encode('thanks')
      const endpoint = { host: '127.0.0.1', port: 8098 }
      const listener = await runtime.http.listen(endpoint, async () => ({ status: 202, headers: {}, body }))
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [
          { name: 'tell', trigger: at(0), http: { url: 'http://127.0.0.1:8098/secret/path' } },
          { name: 'ask', trigger: at(1), approval: { message: 'continue?' } },
          { name: 'wait', trigger: at('100%'), approval: { timeout: '5s', onTimeout: 'Approve' } },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(isRunning('ask'))
      await answer(placeOf(stage), 'web', 'ask', 'approved')
      const policy = await stage.untilPolicy(isOver)
      await runtime.clock.sleep(1000)
      const entries = await readJournal(stage.client, pageOf(policy))
      expect(
        entries.map((entry) =>
          entryText(terminal(stage, []), entry, stage.runtime.clock.now())
            .split(/: succeeded \d+s ago after /)
            .at(-1),
        ),
      ).toEqual([
        expect.stringMatching(/^[^\n]*s\n {4}127\.0\.0\.1:8098 answered 202\n$/),
        expect.stringMatching(/^[^\n]*s\n {4}approved\n$/),
        expect.stringMatching(/^5 s\n {4}approved: no decision within 5 s\n$/),
      ])
      await listener.close()
    }))

  it('show outcome and log of each run', () =>
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
      const text = entry === undefined ? '' : entryText(terminal(stage, []), entry, stage.runtime.clock.now())
      expect(text).toMatch(
        /^--> migrate at 0, revision 2: failed \d+s ago after \d+ s\n {4}BackoffLimitExceeded: .*\nno\n$/,
      )
    }))
})

describe('a policy', () => {
  it('is found by every name that kubectl and the commands print', () =>
    play(95, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      const place = placeOf(stage)
      for (const word of [
        'rop',
        'rolloutpolicy',
        'rolloutpolicies.carabiner.dev',
        'deployment.apps',
        'Deploy',
        'deploy',
      ])
        expect((await findOnly(place, `${word}/web`)).metadata.name).toBe('web')
      expect(
        (
          await findOnly(
            place,
            list([await findOnly(place, 'web')], 'name', statusListing('default', pipe), pipe).trim(),
          )
        ).kind,
      ).toBe('RolloutPolicy')
      await expect(findOnly(place, 'rop/cart')).rejects.toMatchObject({
        message: 'there is no RolloutPolicy default/cart',
      })
      await expect(findOnly(place, 'pod/web')).rejects.toMatchObject({
        message: 'pod/web: the kind must be rop, deployment, statefulset or daemonset',
      })
    }))
})

describe('watch', () => {
  it('reports an unfinished rollout when it is interrupted', () =>
    play(91, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      const [policy, workload] = [await stage.untilPolicy(() => true), (await stage.workload()) as unknown as Workload]
      const interrupted = new AbortController()
      const context = { ...terminal(stage, []), signal: interrupted.signal }
      const watching = new Watching(context, placeOf(stage), { policy, workload }).run()
      await stage.runtime.clock.sleep(3000)
      interrupted.abort()
      expect(await watching).toBe('going')
    }))

  it('shows the pods of a rollout that ends when the watch starts', () =>
    play(92, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.roll(2)
      const [policy, workload] = [
        await stage.untilPolicy(isRunning('migrate')),
        (await stage.workload()) as unknown as Workload,
      ]
      await stage.untilPolicy(isOver)
      const written: string[] = []
      await new Watching(terminal(stage, written), placeOf(stage), { policy, workload }).run()
      expect(written.join('')).toMatch(
        /^\S+ {2}example\/app:1 → example\/app:2\n\S+ {2}Complete {2}gate open {2}pods 1 of 1 new ready, 0 old/,
      )
    }))

  it('shows every pod at the end, also those without a watch event yet', () =>
    play(93, async (stage) => {
      await stage.running('StatefulSet', 3)
      await stage.policy({ lifecycleHooks: [{ name: 'smoke', trigger: at('50%'), jobSpec: job() }] })
      const [policy, workload] = [await stage.untilPolicy(() => true), (await stage.workload()) as unknown as Workload]
      const written: string[] = []
      const place = { client: listeningLate(stage, resources.pods), namespace: 'default' }
      const watching = new Watching(terminal(stage, written), place, { policy, workload }).run()
      await stage.runtime.clock.sleep(3000)
      await stage.roll(2)
      expect(await watching).toBe('settled')
      expect(written.at(-1)).toMatch(/Complete {2}gate open {2}pods 3 of 3 new ready, 0 old/)
    }))

  it('shows the last rollout and ends when none is under way, because a short one ends before a person looks', () =>
    play(94, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.roll(2)
      const policy = await stage.untilPolicy(isOver)
      const workload = (await stage.workload()) as unknown as Workload
      const written: string[] = []
      expect(await new Watching(terminal(stage, written), placeOf(stage), { policy, workload }).run()).toBe('settled')
      expect(written.join('')).toMatch(/Complete {2}gate open {2}pods 1 of 1 new ready, 0 old/)
    }))

  it('ends when the policy is deleted', () =>
    play(87, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      const [policy, workload] = [await stage.untilPolicy(() => true), (await stage.workload()) as unknown as Workload]
      const watching = new Watching(terminal(stage, []), placeOf(stage), { policy, workload }).run()
      const ended = expect(watching).rejects.toThrow('RolloutPolicy default/web was deleted meanwhile')
      await stage.runtime.clock.sleep(3000)
      await stage.removePolicy()
      await ended
    }))

  it.each([false, true])('shows a rollout until its end, on a terminal: %s', (isTerminal) =>
    play(84, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job() },
          { name: 'smoke', trigger: at('50%'), jobSpec: job() },
        ],
      })
      const written: string[] = []
      const [policy, workload] = [await stage.untilPolicy(() => true), (await stage.workload()) as unknown as Workload]
      const watching = new Watching(terminal(stage, written, isTerminal), placeOf(stage), { policy, workload }).run()
      await stage.runtime.clock.sleep(3000)
      await stage.roll(2)
      expect(await watching).toBe('settled')
      const lines = written.join('').split('\n')
      if (isTerminal) {
        expect(written.at(-1)).toMatch(/✓.* smoke +50% +Succeeded +(29|30) s/)
        expect(written.at(-1)).toContain('rollout to ')
        expect(written.slice(1).every((text) => text.slice(1).match(/^\[\d+A\r/) !== null)).toBe(true)
        return
      }
      expect(lines[0]).toMatch(/^00:\d\d:\d\d {2}no rollout is under way; waits for the template to change$/)
      expect(lines).toContainEqual(
        expect.stringMatching(
          /Progressing at 50% {2}gate held {2}pods 1 of 1 new ready, 2 old {2}migrate=Succeeded smoke=Running$/,
        ),
      )
      // One line per moment, independent of the number of watch events.
      expect(lines).toHaveLength(6)
      expect(lines.at(-2)).toMatch(/Complete {2}gate open {2}pods 2 of 2 new ready, 0 old {2}.* is complete$/)
    }),
  )
})
