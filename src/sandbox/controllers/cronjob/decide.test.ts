import { describe, expect, it } from 'vitest'
import { parse } from '../../../cron/index.ts'
import type { CronJob, Job } from '../../../kube/kinds/index.ts'
import { decideCron } from './decide.ts'

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`)

function cronJob(spec: Partial<CronJob['spec']> = {}, status: CronJob['status'] = {}): CronJob {
  const jobTemplate = { spec: { template: { spec: { containers: [] } } } }
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'c', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { schedule: '0 * * * *', jobTemplate, ...spec },
    status,
  }
}

function job(name: string, end?: 'Complete' | 'Failed', startTime = '2026-01-01T01:00:00Z'): Job {
  const conditions = end === undefined ? [] : [{ type: end, status: 'True', lastTransitionTime: startTime }]
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, uid: name },
    spec: { template: { spec: { containers: [] } } },
    status: { conditions, startTime },
  }
}

function decide(one: CronJob, jobs: readonly Job[], now: string) {
  const { start, remove, events, requeueAfterMs } = decideCron(
    { cronJob: one, schedule: parse(one.spec.schedule, { zone: 'UTC' }), jobs },
    at(now),
  )
  return {
    start,
    remove: remove.map(({ metadata }) => metadata.name),
    reasons: events.map(({ reason }) => reason),
    requeueAfterMs,
  }
}

const idle = { start: undefined, remove: [], reasons: [], requeueAfterMs: undefined }
const running = { active: [{ uid: 'r' }] }

describe('a CronJob', () => {
  it.each<[string, CronJob, readonly Job[], string, object]>([
    ['waits for the next scheduled time', cronJob(), [], '00:30:00', { requeueAfterMs: 1_800_100 }],
    [
      'starts a Job at the scheduled time',
      cronJob(),
      [],
      '01:00:01',
      { start: at('01:00:00'), requeueAfterMs: 3_599_100 },
    ],
    [
      'starts only the most recent missed time',
      cronJob(),
      [],
      '05:30:00',
      { start: at('05:00:00'), requeueAfterMs: 1_800_100 },
    ],
    [
      'does not start a Job after startingDeadlineSeconds',
      cronJob({ startingDeadlineSeconds: 60 }),
      [],
      '05:30:00',
      { requeueAfterMs: 1_800_100 },
    ],
    [
      'does not start a time twice',
      cronJob({}, { lastScheduleTime: '2026-01-01T01:00:00Z' }),
      [],
      '01:30:00',
      { requeueAfterMs: 1_800_100 },
    ],
    ['does nothing while suspended', cronJob({ suspend: true }), [], '01:30:00', {}],
    [
      'does not start while a Job runs with concurrencyPolicy Forbid',
      cronJob({ concurrencyPolicy: 'Forbid' }, running),
      [job('r')],
      '02:00:00',
      { reasons: ['JobAlreadyActive'], requeueAfterMs: 3_600_100 },
    ],
    [
      'replaces a running Job with concurrencyPolicy Replace',
      cronJob({ concurrencyPolicy: 'Replace' }, running),
      [job('r')],
      '02:00:00',
      { start: at('02:00:00'), remove: ['r'], requeueAfterMs: 3_600_100 },
    ],
    [
      'records that an active Job has finished',
      cronJob({ suspend: true }, running),
      [job('r', 'Complete')],
      '02:00:00',
      { reasons: ['SawCompletedJob'] },
    ],
    [
      'deletes finished Jobs beyond the history limits',
      cronJob({ suspend: true, successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }),
      [job('new', 'Complete', '2026-01-01T02:00:00Z'), job('old', 'Complete'), job('bad', 'Failed')],
      '03:00:00',
      { remove: ['old', 'bad'] },
    ],
  ])('%s', (_, one, jobs, now, expected) => {
    expect(decide(one, jobs, now)).toEqual({ ...idle, ...expected })
  })
})
