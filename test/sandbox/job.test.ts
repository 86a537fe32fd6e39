import { describe, expect, it } from 'vitest'
import { type Job, type Pod, resources } from '../../src/kube/kinds/index.ts'
import { inCluster, type TestCluster } from './cluster.ts'

type Facts = Partial<Omit<Job['spec'], 'template'>> & { annotations?: Record<string, string>; restartPolicy?: string }

function createJob(
  cluster: TestCluster,
  { annotations = {}, restartPolicy = 'Never', ...spec }: Facts = {},
): Promise<Job> {
  const prefixed = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`sandbox.carabiner.dev/${name}`, value]),
  )
  return cluster.create<Job>(resources.jobs, {
    metadata: { name: 'migrate' },
    spec: {
      ...spec,
      template: {
        metadata: { annotations: prefixed },
        spec: { restartPolicy, containers: [{ name: 'main', image: 'tool:1' }] },
      },
    },
  })
}

const get = (cluster: TestCluster) => cluster.get<Job>(resources.jobs, 'migrate')
const conditions = (job: Job) =>
  (job.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`)
const finished = (cluster: TestCluster, seconds = 3600) =>
  cluster.until(
    () => get(cluster),
    (job) => conditions(job).some((text) => /^(Complete|Failed)=True/.test(text)),
    seconds,
  )
const pods = (cluster: TestCluster) => cluster.list<Pod>(resources.pods)

describe('a Job in the sandbox', () => {
  it('completes', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { annotations: { 'run-for': '5s' } })
      await cluster.sleep(2)
      expect((await get(cluster)).status).toMatchObject({
        active: 1,
        ready: 1,
        terminating: 0,
        uncountedTerminatedPods: {},
      })
      const job = await finished(cluster)
      expect(conditions(job)).toEqual([
        'SuccessCriteriaMet=True/CompletionsReached',
        'Complete=True/CompletionsReached',
      ])
      expect(job.status).toMatchObject({
        succeeded: 1,
        ready: 0,
        completionTime: expect.any(String),
        uncountedTerminatedPods: {},
      })
      expect((await pods(cluster)).map(({ metadata, status }) => [metadata.finalizers, status?.phase])).toEqual([
        [undefined, 'Succeeded'],
      ])
    })
  })

  it('runs parallelism pods until all completions are reached', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { completions: 5, parallelism: 2, annotations: { 'run-for': '5s' } })
      let most = 0
      await cluster.until(
        async () => {
          const job = await get(cluster)
          most = Math.max(most, job.status?.active ?? 0)
          return job
        },
        (job) => conditions(job).includes('Complete=True/CompletionsReached'),
      )
      expect(most).toBe(2)
      expect((await get(cluster)).status?.succeeded).toBe(5)
      expect(await pods(cluster)).toHaveLength(5)
    })
  })

  it('assigns an index to each pod', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { completions: 4, parallelism: 4, completionMode: 'Indexed' })
      const job = await finished(cluster)
      expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' })
      const named = (await pods(cluster)).map(({ metadata, spec }) => [
        metadata.labels?.['batch.kubernetes.io/job-completion-index'],
        spec.hostname,
      ])
      expect(named.sort()).toEqual([
        ['0', 'migrate-0'],
        ['1', 'migrate-1'],
        ['2', 'migrate-2'],
        ['3', 'migrate-3'],
      ])
      expect((await pods(cluster))[0]?.spec.containers[0]?.env?.[0]?.name).toBe('JOB_COMPLETION_INDEX')
    })
  })

  it('retries with exponential back-off and fails at the limit', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { backoffLimit: 2, annotations: { 'exit-code': '3' } })
      const job = await finished(cluster)
      expect(conditions(job)).toEqual(['FailureTarget=True/BackoffLimitExceeded', 'Failed=True/BackoffLimitExceeded'])
      expect(job.status).toMatchObject({ failed: 3 })
      const times = (await pods(cluster)).map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')).sort()
      const [first = 0, second = 0, third = 0] = times
      expect(second - first).toBeGreaterThanOrEqual(10_000)
      expect(third - second).toBeGreaterThanOrEqual(20_000)
    })
  })

  it('counts restarts against the limit with restartPolicy OnFailure', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { backoffLimit: 2, restartPolicy: 'OnFailure', annotations: { 'exit-code': '1' } })
      expect(conditions(await finished(cluster))).toContain('Failed=True/BackoffLimitExceeded')
    })
  })

  it('fails at its deadline', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { activeDeadlineSeconds: 20, annotations: { 'run-for': 'forever' } })
      const job = await finished(cluster, 60)
      expect(conditions(job)).toEqual(['FailureTarget=True/DeadlineExceeded', 'Failed=True/DeadlineExceeded'])
      expect((await pods(cluster)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([])
    })
  })

  it('applies podFailurePolicy to exit codes', async () => {
    await inCluster(async (cluster) => {
      const onExitCodes = { operator: 'In', values: [42] }
      await createJob(cluster, {
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] },
        annotations: { 'exit-code': '42' },
      })
      const job = await finished(cluster, 30)
      expect(conditions(job)).toEqual(['FailureTarget=True/PodFailurePolicy', 'Failed=True/PodFailurePolicy'])
      expect(job.status?.conditions?.[0]?.message).toMatch(
        /^Container main for pod default\/migrate-\w+ failed with exit code 42 matching FailJob rule at index 0$/,
      )
    })
  })

  it('can be suspended and resumed', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { suspend: true, annotations: { 'run-for': '5s' } })
      await cluster.sleep(5)
      expect(conditions(await get(cluster))).toEqual(['Suspended=True/JobSuspended'])
      expect(await pods(cluster)).toEqual([])
      await cluster.patch(resources.jobs, 'migrate', { spec: { suspend: false } })
      await cluster.sleep(2)
      expect(conditions(await get(cluster))).toEqual(['Suspended=False/JobResumed'])
      await finished(cluster)
    })
  })

  it('is deleted with its pods after ttlSecondsAfterFinished', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { ttlSecondsAfterFinished: 30 })
      await finished(cluster)
      await cluster.sleep(20)
      expect(await cluster.list(resources.jobs)).toHaveLength(1)
      await cluster.sleep(20)
      expect(await cluster.list(resources.jobs)).toEqual([])
      expect(await pods(cluster)).toEqual([])
    })
  })

  it('deletes running pods with itself', async () => {
    await inCluster(async (cluster) => {
      await createJob(cluster, { annotations: { 'run-for': 'forever' } })
      await cluster.sleep(2)
      await cluster.client
        .of(resources.jobs)
        .delete('migrate', { namespace: 'default', propagationPolicy: 'Background' })
      await cluster.until(
        () => pods(cluster),
        (all) => all.length === 0,
        60,
      )
    })
  })
})
