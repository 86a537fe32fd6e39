/** Jobs: success, failure, suspension and TTL. */
import { expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import { conditionOf, count, job, mergePatch } from './workloads.ts'

onCluster('jobs', (cluster) => {
  const base = (ns: string) => `/apis/batch/v1/namespaces/${ns}/jobs`
  const complete = (ns: string) =>
    cluster.until(`${base(ns)}/work`, (found) => conditionOf(found, 'Complete')?.status === 'True')
  const failed = (ns: string) =>
    cluster.until(`${base(ns)}/work`, (found) => conditionOf(found, 'Failed')?.status === 'True')

  it('completes', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work'))
    const done = await complete(ns)
    expect(done.status).toMatchObject({
      succeeded: 1,
      completionTime: expect.any(String),
      startTime: expect.any(String),
    })
    expect(conditionOf(done, 'Complete')).toMatchObject({
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
    })
    expect(conditionOf(done, 'SuccessCriteriaMet')).toMatchObject({ status: 'True', reason: 'CompletionsReached' })
    const [pod] = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    expect(pod?.metadata.labels).toMatchObject({
      'batch.kubernetes.io/job-name': 'work',
      'batch.kubernetes.io/controller-uid': done.metadata.uid,
      'job-name': 'work',
    })
    expect(pod?.metadata.finalizers).toBeUndefined()
  })

  it('runs completions pods with parallelism', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { completions: 4, parallelism: 2 }))
    expect((await complete(ns)).status).toMatchObject({ succeeded: 4 })
    expect((await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items).toHaveLength(4)
  })

  it('assigns indexes with completionMode Indexed', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { completions: 3, parallelism: 3, completionMode: 'Indexed' }))
    expect((await complete(ns)).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' })
    const pods = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    expect(pods.map((pod) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index']).sort()).toEqual([
      '0',
      '1',
      '2',
    ])
  })

  it('fails at its back-off limit', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { backoffLimit: 0 }, { 'exit-code': '3' }))
    const broken = await failed(ns)
    expect(conditionOf(broken, 'Failed')).toMatchObject({
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    })
    expect(conditionOf(broken, 'FailureTarget')).toMatchObject({ status: 'True', reason: 'BackoffLimitExceeded' })
    expect(broken.status).toMatchObject({ failed: 1 })
  })

  it('fails at its deadline and stops its pods', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { activeDeadlineSeconds: 1 }, { 'run-for': '1h' }))
    expect(conditionOf(await failed(ns), 'Failed')).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    })
    await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (pods) =>
      pods.every((pod) => (pod.status as { phase: string }).phase === 'Failed'),
    )
  })

  it('starts nothing while suspended', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { suspend: true }))
    await cluster.until(`${base(ns)}/work`, (found) => conditionOf(found, 'Suspended')?.status === 'True')
    expect((await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items).toEqual([])
    await cluster.call('PATCH', `${base(ns)}/work`, { headers: mergePatch, body: { spec: { suspend: false } } })
    const done = await complete(ns)
    expect(conditionOf(done, 'Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed' })
  })

  it('is deleted after ttlSecondsAfterFinished', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { ttlSecondsAfterFinished: 0 }))
    await cluster.untilGone(`${base(ns)}/work`)
    await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (pods) => pods.length === 0)
  })

  it('retries after a failure', async () => {
    const ns = await cluster.namespace()
    const onFailure = job('work', { backoffLimit: 3 }, { 'exit-code': '1,0' })
    const template = {
      ...onFailure.spec.template,
      spec: { ...onFailure.spec.template.spec, restartPolicy: 'OnFailure' },
    }
    await cluster.create(base(ns), { ...onFailure, spec: { ...onFailure.spec, template } })
    const done = await complete(ns)
    expect(count(done, 'succeeded')).toBe(1)
  })

  it('has an immutable template', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), job('work', { suspend: true }))
    const body = { spec: { template: { spec: { containers: [{ name: 'main', image: 'example/other:1' }] } } } }
    const refused = await cluster.call('PATCH', `${base(ns)}/work`, { headers: mergePatch, body })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toContain('field is immutable')
  })
})
