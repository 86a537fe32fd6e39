import { describe, expect, it } from 'vitest'
import type { Job, JobSpec, JobStatus, Pod } from '../../../kube/kinds/index.ts'
import { afterPods, backOffLeft } from './backoff.ts'
import { formatIndexes, parseIndexes } from './indexes.ts'
import { planJob } from './plan.ts'
import { matchFailure, matchSuccess } from './policy.ts'
import { planStatus } from './status-plan.ts'
import { expiryOf } from './ttl.ts'
import { countPods, type JobWorld, noFailures } from './world.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const started = '2026-01-01T11:59:00Z'

type State = 'active' | 'succeeded' | 'failed' | 'deleting'

function pod(
  name: string,
  state: State = 'active',
  facts: { index?: number; exitCode?: number; counted?: boolean; endedAt?: string } = {},
): Pod {
  const phases = { active: 'Running', succeeded: 'Succeeded', failed: 'Failed', deleting: 'Running' }
  const exitCode = facts.exitCode ?? (state === 'failed' ? 1 : 0)
  const ended = state === 'succeeded' || state === 'failed'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'n',
      uid: name,
      ...(facts.counted ? {} : { finalizers: ['batch.kubernetes.io/job-tracking'] }),
      ...(facts.index === undefined
        ? {}
        : { annotations: { 'batch.kubernetes.io/job-completion-index': String(facts.index) } }),
      ...(state === 'deleting' ? { deletionTimestamp: started } : {}),
    },
    spec: { containers: [] },
    status: {
      phase: phases[state],
      containerStatuses: [
        {
          name: 'main',
          ready: false,
          restartCount: 0,
          image: '',
          imageID: '',
          state: ended ? { terminated: { exitCode, finishedAt: facts.endedAt ?? started } } : {},
        },
      ],
    },
  }
}

function world(
  spec: Partial<JobSpec>,
  pods: readonly Pod[],
  status: JobStatus = {},
  completions = { completions: 1 },
): JobWorld {
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', uid: 'j' },
    spec: {
      parallelism: 1,
      ...completions,
      backoffLimit: 6,
      template: { spec: { restartPolicy: 'Never', containers: [] } },
      ...spec,
    },
    status: { startTime: started, ...status },
  }
  return { job, pods, releasing: new Set(), failures: noFailures }
}

function plan(one: JobWorld, { expectationsSatisfied = true } = {}) {
  const facts = { startTime: one.job.status?.startTime, expectationsSatisfied }
  const { end, create, remove, requeueAfterMs } = planJob(one, countPods(one), facts, now)
  return {
    end: end && `${end.type}/${end.reason}`,
    create: create.length,
    indexes: create.filter((index) => index !== undefined),
    remove: remove.map(({ metadata }) => metadata.name),
    requeueAfterMs,
  }
}

/** A Job without completions. */
const openEnded = (pods: readonly Pod[]) => world({ parallelism: 3 }, pods, {}, {} as { completions: number })

const idle = { end: undefined, create: 0, indexes: [], remove: [], requeueAfterMs: undefined }
const indexed: Partial<JobSpec> = { completionMode: 'Indexed', completions: 4, parallelism: 4 }

describe('planJob', () => {
  it.each<[string, JobWorld, Partial<ReturnType<typeof plan>>]>([
    ['creates missing pods', world({ completions: 5, parallelism: 3 }, [pod('a')]), { create: 2 }],
    [
      'creates no more pods than remaining completions',
      world({ completions: 5, parallelism: 3 }, [], { succeeded: 4 }),
      { create: 1 },
    ],
    ['creates parallelism pods without completions', openEnded([]), { create: 3 }],
    ['creates no more pods after a success without completions', openEnded([pod('a'), pod('b', 'succeeded')]), {}],
    ['deletes surplus pods', world({ completions: 5, parallelism: 1 }, [pod('a'), pod('b')]), { remove: ['a'] }],
    ['deletes all pods when suspended', world({ suspend: true }, [pod('a')]), { remove: ['a'] }],
    [
      'assigns the first free indexes',
      world(indexed, [pod('a', 'active', { index: 0 }), pod('b', 'succeeded', { index: 2 })]),
      { create: 2, indexes: [1, 3] },
    ],
    [
      'deletes a duplicate pod of an index',
      world(indexed, [pod('a', 'active', { index: 0 }), pod('b', 'active', { index: 0 })]),
      { remove: ['a'] },
    ],
    [
      'waits for the back-off after a failure',
      world({}, [pod('a', 'failed', { endedAt: '2026-01-01T11:59:55Z' })]),
      { requeueAfterMs: 5000 },
    ],
    [
      'fails beyond the back-off limit',
      world({ backoffLimit: 0 }, [pod('a', 'failed'), pod('b')]),
      { end: 'FailureTarget/BackoffLimitExceeded', remove: ['b'] },
    ],
    [
      'fails at the deadline',
      world({ activeDeadlineSeconds: 60 }, [pod('a')]),
      { end: 'FailureTarget/DeadlineExceeded', remove: ['a'] },
    ],
    ['requeues at the deadline', world({ activeDeadlineSeconds: 90 }, [pod('a')]), { requeueAfterMs: 30_000 }],
    ['replaces a terminating pod', world({}, [pod('a', 'deleting')]), { create: 1 }],
    [
      'waits for a terminating pod with podReplacementPolicy Failed',
      world({ podReplacementPolicy: 'Failed' }, [pod('a', 'deleting')]),
      {},
    ],
    [
      'continues to fail after FailureTarget',
      world({}, [pod('a')], { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'X' }] }),
      { end: 'Failed/X', remove: ['a'] },
    ],
  ])('%s', (_, one, expected) => {
    expect(plan(one)).toEqual({ ...idle, ...expected })
  })

  it('creates nothing while expectations are not met', () => {
    expect(plan(world({}, []), { expectationsSatisfied: false })).toEqual(idle)
  })
})

describe('planStatus', () => {
  const settle = (one: JobWorld, outcome: Partial<Parameters<typeof planStatus>[2]> = {}) =>
    planStatus(
      one,
      countPods(one),
      { end: undefined, created: 0, removed: [], managed: true, startTime: started, ...outcome },
      now,
    )

  it('counts a success in two status writes and completes', () => {
    const { before, release, after, finished, events } = settle(world({}, [pod('a', 'succeeded')]))
    expect(before).toMatchObject({
      uncountedTerminatedPods: { succeeded: ['a'] },
      conditions: [{ type: 'SuccessCriteriaMet' }],
    })
    expect(before.succeeded).toBeUndefined()
    expect(release.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(after).toMatchObject({
      succeeded: 1,
      uncountedTerminatedPods: {},
      completionTime: '2026-01-01T12:00:00Z',
      ready: 0,
      terminating: 0,
    })
    expect(after.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete'])
    expect(finished).toBe(true)
    expect(events.map(({ reason }) => reason)).toEqual(['Completed'])
  })

  it('does not count a pod twice after a crash between the writes', () => {
    const { after } = settle(
      world({ completions: 3 }, [pod('a', 'succeeded', { counted: true })], {
        uncountedTerminatedPods: { succeeded: ['a'] },
      }),
    )
    expect(after).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} })
  })

  it('is not finished while pods are terminating', () => {
    const end = { type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: '' }
    const { after, finished } = settle(world({}, [pod('a')]), { end, removed: [pod('a')], managed: false })
    expect(finished).toBe(false)
    expect(after).toMatchObject({ terminating: 1, failed: 1, conditions: [{ type: 'FailureTarget' }] })
  })

  it('does not count failures that match an Ignore rule', () => {
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [7] } }]
    const { after, release } = settle(world({ podFailurePolicy: { rules } }, [pod('a', 'failed', { exitCode: 7 })]))
    expect(after.failed).toBeUndefined()
    expect(release).toHaveLength(1)
  })

  it('sets the Suspended condition when suspended and resumed', () => {
    const suspended = settle(world({ suspend: true }, []))
    expect(suspended.after.conditions).toMatchObject([{ type: 'Suspended', status: 'True', reason: 'JobSuspended' }])
    expect(suspended.after.startTime).toBeUndefined()
    const resumed = settle(world({}, [], { ...suspended.after }))
    expect(resumed.after.conditions).toMatchObject([{ type: 'Suspended', status: 'False', reason: 'JobResumed' }])
    expect(resumed.after.startTime).toBe('2026-01-01T12:00:00Z')
  })
})

describe('back-off', () => {
  it('doubles with every failure since the last success', () => {
    const failures = afterPods({ count: 2, lastAt: 0 }, [], [pod('a', 'failed', { endedAt: '2026-01-01T12:00:00Z' })])
    expect(failures).toEqual({ count: 3, lastAt: now })
    expect(backOffLeft(failures, now)).toBe(40_000)
    expect(backOffLeft({ count: 30, lastAt: now }, now)).toBe(600_000)
    expect(afterPods(failures, [pod('b', 'succeeded')], [])).toEqual(noFailures)
  })
})

describe('indexes', () => {
  it.each<[readonly number[], string]>([
    [[], ''],
    [[1], '1'],
    [[1, 2], '1,2'],
    [[0, 1, 2, 3], '0-3'],
    [[0, 2, 3, 4, 7, 8], '0,2-4,7,8'],
  ])('%j is written %s', (indexes, text) => {
    expect(formatIndexes(indexes)).toBe(text)
    expect([...parseIndexes(text, 100)]).toEqual(indexes)
  })

  it('ignores indexes out of range', () => {
    expect([...parseIndexes('1-5', 3)]).toEqual([1, 2])
  })
})

describe('policies', () => {
  const rules = [
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
    { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [1] } },
  ]
  const { job } = world({ podFailurePolicy: { rules } }, [])

  it('apply the first matching failure rule', () => {
    expect(matchFailure(job, pod('a', 'failed', { exitCode: 1 }))).toEqual({ counts: true })
    expect(matchFailure(job, pod('a', 'failed', { exitCode: 2 }))).toEqual({
      counts: true,
      failsJob: 'Container main for pod n/a failed with exit code 2 matching FailJob rule at index 1',
    })
  })

  it('evaluate success rules', () => {
    const { job: lenient } = world(
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 2 }] } },
      [],
    )
    expect(matchSuccess(lenient, new Set([0, 3]))).toBeUndefined()
    expect(matchSuccess(lenient, new Set([0, 2]))).toBe('Matched rules at index 0')
  })
})

it('expires ttlSecondsAfterFinished after it finished', () => {
  const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: started }]
  expect(expiryOf(world({ ttlSecondsAfterFinished: 30 }, [], { conditions }).job)).toBe(Date.parse(started) + 30_000)
  expect(expiryOf(world({ ttlSecondsAfterFinished: 30 }, []).job)).toBeUndefined()
})
