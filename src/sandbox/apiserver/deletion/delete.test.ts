import { describe, expect, it } from 'vitest'
import { deploymentNamed, podNamed, TestCluster } from '../testing/cluster.ts'

const pods = '/api/v1/namespaces/default/pods'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const configMaps = '/api/v1/namespaces/default/configmaps'

async function withRunningPod(): Promise<TestCluster> {
  const cluster = new TestCluster()
  await cluster.post(pods, podNamed('web', { nodeName: 'n1' }))
  return cluster
}

describe('graceful deletion of pods', () => {
  it('has a grace period of 30 seconds by default, which later deletes can only shorten', async () => {
    const cluster = await withRunningPod()
    const marked = await cluster.call('DELETE', `${pods}/web`)
    expect(marked.at('metadata', 'deletionGracePeriodSeconds')).toBe(30)
    expect(marked.at('metadata', 'deletionTimestamp')).toBe('2026-01-01T00:00:30Z')
    const longer = await cluster.call('DELETE', `${pods}/web?gracePeriodSeconds=60`)
    expect(longer.at('metadata', 'deletionGracePeriodSeconds')).toBe(30)
    const shorter = await cluster.call('DELETE', `${pods}/web?gracePeriodSeconds=5`)
    expect(shorter.at('metadata', 'deletionTimestamp')).toBe('2026-01-01T00:00:05Z')
  })

  it('removes pods without grace period, without node and finished pods immediately', async () => {
    const cluster = await withRunningPod()
    await cluster.call('DELETE', `${pods}/web?gracePeriodSeconds=0`)
    expect((await cluster.get(`${pods}/web`)).status).toBe(404)
    await cluster.post(pods, podNamed('unscheduled'))
    await cluster.call('DELETE', `${pods}/unscheduled`)
    expect((await cluster.get(`${pods}/unscheduled`)).status).toBe(404)
    await cluster.post(pods, podNamed('done', { nodeName: 'n1' }))
    await cluster.patch(`${pods}/done/status`, { status: { phase: 'Succeeded' } })
    await cluster.call('DELETE', `${pods}/done`)
    expect((await cluster.get(`${pods}/done`)).status).toBe(404)
  })
})

describe('deletion with finalizers', () => {
  it('keeps the object until the last finalizer is removed and refuses new finalizers', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'a', finalizers: ['x.y/z'] } })
    const marked = await cluster.call('DELETE', `${configMaps}/a`)
    expect([marked.status, marked.at('metadata', 'deletionGracePeriodSeconds')]).toEqual([200, 0])
    const more = await cluster.patch(`${configMaps}/a`, { metadata: { finalizers: ['x.y/z', 'a.b/c'] } })
    expect(more.at('message')).toContain('no new finalizers can be added if the object is being deleted')
    await cluster.patch(`${configMaps}/a`, { metadata: { finalizers: null } })
    expect((await cluster.get(`${configMaps}/a`)).status).toBe(404)
  })

  it('sets the finalizer of the propagation policy for the garbage collector', async () => {
    const cluster = new TestCluster()
    const finalizers = async (name: string, propagationPolicy: string) => {
      await cluster.post(deployments, deploymentNamed(name))
      await cluster.call('DELETE', `${deployments}/${name}`, { propagationPolicy })
      const reply = await cluster.get(`${deployments}/${name}`)
      return [reply.status, reply.at('metadata', 'finalizers'), reply.at('metadata', 'generation')]
    }
    expect(await finalizers('a', 'Foreground')).toEqual([200, ['foregroundDeletion'], 2])
    expect(await finalizers('b', 'Orphan')).toEqual([200, ['orphan'], 2])
    expect(await finalizers('c', 'Background')).toEqual([404, undefined, undefined])
  })

  it('orphans the pods of Jobs by default and warns about it', async () => {
    const cluster = new TestCluster()
    const jobs = '/apis/batch/v1/namespaces/default/jobs'
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] } }
    await cluster.post(jobs, { metadata: { name: 'j' }, spec: { template } })
    const reply = await cluster.call('DELETE', `${jobs}/j`)
    expect(reply.headers['warning']).toContain('child pods are preserved by default when jobs are deleted')
    expect(reply.at('metadata', 'finalizers')).toContain('orphan')
  })
})

describe('delete preconditions', () => {
  it('check uid and resourceVersion', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'a' } })
    const uid = await cluster.call('DELETE', `${configMaps}/a`, { preconditions: { uid: 'other' } })
    expect([uid.status, uid.at('reason')]).toEqual([409, 'Conflict'])
    expect(uid.at('message')).toContain('the UID in the precondition (other) does not match the UID in record')
    const version = await cluster.call('DELETE', `${configMaps}/a`, { preconditions: { resourceVersion: '1' } })
    expect(version.status).toBe(409)
    expect((await cluster.get(`${configMaps}/a`)).status).toBe(200)
  })

  it('refuse unknown propagation policies, and a dry run deletes nothing', async () => {
    const cluster = new TestCluster()
    await cluster.post(configMaps, { metadata: { name: 'a' } })
    const policy = await cluster.call('DELETE', `${configMaps}/a?propagationPolicy=Maybe`)
    expect([policy.status, policy.at('reason')]).toEqual([422, 'Invalid'])
    expect((await cluster.call('DELETE', `${configMaps}/a?dryRun=All`)).status).toBe(200)
    expect((await cluster.get(`${configMaps}/a`)).status).toBe(200)
  })
})

describe('deletion of collections', () => {
  it('deletes the objects that match the selector', async () => {
    const cluster = new TestCluster()
    for (const [name, go] of [
      ['a', 'yes'],
      ['b', 'no'],
      ['c', 'yes'],
    ] as const) {
      await cluster.post(configMaps, { metadata: { name, labels: { go } } })
    }
    await cluster.call('DELETE', `${configMaps}?labelSelector=go%3Dyes`)
    expect((await cluster.get(configMaps)).text).not.toContain('"name":"a"')
    expect((await cluster.get(`${configMaps}/b`)).status).toBe(200)
  })
})

describe('deletion of namespaces', () => {
  it('goes through Terminating until the namespace is finalized', async () => {
    const cluster = new TestCluster()
    await cluster.post('/api/v1/namespaces', { metadata: { name: 'n' } })
    const marked = await cluster.call('DELETE', '/api/v1/namespaces/n')
    expect(marked.at('status', 'phase')).toBe('Terminating')
    expect((await cluster.get('/api/v1/namespaces/n')).at('spec', 'finalizers')).toEqual(['kubernetes'])
    await cluster.call('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: { finalizers: [] } })
    expect((await cluster.get('/api/v1/namespaces/n')).status).toBe(404)
  })

  it('refuses to delete system namespaces', async () => {
    const reply = await new TestCluster().call('DELETE', '/api/v1/namespaces/default')
    expect(reply.at('message')).toBe('namespaces "default" is forbidden: this namespace may not be deleted')
  })
})
