import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../runtime/json.ts'
import { podNamed, TestCluster } from '../../testing/cluster.ts'

const core = '/api/v1/namespaces/default'

describe('service accounts', () => {
  it('are set on every pod and mount a token volume', async () => {
    const pod = await new TestCluster().post(`${core}/pods`, podNamed('web'))
    expect(pod.at('spec', 'serviceAccountName')).toBe('default')
    const [volume] = pod.at('spec', 'volumes') as readonly { name: string; projected: { sources: readonly Json[] } }[]
    expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
    expect(volume?.projected.sources[0]).toEqual({ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } })
    const [container] = pod.at('spec', 'containers') as readonly { volumeMounts: Json }[]
    expect(container?.volumeMounts).toEqual([
      { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ])
  })

  it('mount no token when automountServiceAccountToken is false, and refuse a missing account', async () => {
    const cluster = new TestCluster()
    const declined = await cluster.post(`${core}/pods`, podNamed('a', { automountServiceAccountToken: false }))
    expect(declined.at('spec', 'volumes')).toBeUndefined()
    await cluster.post(`${core}/serviceaccounts`, { metadata: { name: 'quiet' }, automountServiceAccountToken: false })
    const quiet = await cluster.post(`${core}/pods`, podNamed('b', { serviceAccountName: 'quiet' }))
    expect(quiet.at('spec', 'volumes')).toBeUndefined()
    const missing = await cluster.post(`${core}/pods`, podNamed('c', { serviceAccountName: 'absent' }))
    expect(missing.at('message')).toBe(
      'pods "c" is forbidden: error looking up service account default/absent: serviceaccount "absent" not found',
    )
  })
})

describe('pods', () => {
  it('get the priority of their class and the default tolerations for unreachable nodes', async () => {
    const cluster = new TestCluster()
    const pod = await cluster.post(`${core}/pods`, podNamed('a', { priorityClassName: 'system-node-critical' }))
    expect([pod.at('spec', 'priority'), pod.at('spec', 'preemptionPolicy')]).toEqual([
      2_000_001_000,
      'PreemptLowerPriority',
    ])
    expect(pod.at('spec', 'tolerations')).toEqual([
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ])
    const unknown = await cluster.post(`${core}/pods`, podNamed('b', { priorityClassName: 'nope' }))
    expect(unknown.at('message')).toBe('pods "b" is forbidden: no PriorityClass with name nope was found')
  })
})

describe('limit ranges', () => {
  it('set default resources and refuse values above the maximum', async () => {
    const cluster = new TestCluster()
    const limits = [{ type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' }, max: { cpu: '1' } }]
    await cluster.post(`${core}/limitranges`, { metadata: { name: 'bounds' }, spec: { limits } })
    const pod = await cluster.post(`${core}/pods`, podNamed('a'))
    const [container] = pod.at('spec', 'containers') as readonly { resources: Json }[]
    expect(container?.resources).toEqual({ limits: { cpu: '500m' }, requests: { cpu: '100m' } })
    expect(pod.at('metadata', 'annotations', 'kubernetes.io/limit-ranger')).toBe(
      'LimitRanger plugin set: cpu request for container main; cpu limit for container main',
    )
    const containers = [{ name: 'main', image: 'app:1', resources: { limits: { cpu: '2' } } }]
    const greedy = await cluster.post(`${core}/pods`, podNamed('b', { containers }))
    expect(greedy.at('message')).toBe('pods "b" is forbidden: maximum cpu usage per Container is 1, but limit is 2')
  })
})

describe('quotas', () => {
  it('refuse objects that exceed the quota and record the usage in the status', async () => {
    const cluster = new TestCluster()
    const quota = `${core}/resourcequotas/q`
    await cluster.post(`${core}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { pods: '1', 'count/configmaps': '1' } },
    })
    expect((await cluster.get(quota)).at('status', 'used')).toEqual({ pods: '0', 'count/configmaps': '0' })
    expect((await cluster.post(`${core}/pods`, podNamed('a'))).status).toBe(201)
    const more = await cluster.post(`${core}/pods`, podNamed('b'))
    expect(more.at('message')).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    )
    expect((await cluster.get(quota)).at('status', 'used', 'pods')).toBe('1')
    await cluster.call('DELETE', `${core}/pods/a`)
    expect((await cluster.get(quota)).at('status', 'used', 'pods')).toBe('0')
    expect((await cluster.post(`${core}/pods`, podNamed('b'))).status).toBe(201)
  })

  it('sum the requests of containers and refuse pods without requests', async () => {
    const cluster = new TestCluster()
    await cluster.post(`${core}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '1' } } })
    const asking = (name: string, cpu: string) =>
      cluster.post(
        `${core}/pods`,
        podNamed(name, { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }] }),
      )
    expect((await cluster.post(`${core}/pods`, podNamed('silent'))).at('message')).toBe(
      'pods "silent" is forbidden: failed quota: q: must specify requests.cpu for: main',
    )
    expect((await asking('a', '600m')).status).toBe(201)
    expect((await asking('b', '600m')).at('message')).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    )
  })
})

describe('protection', () => {
  it('marks new nodes as not ready and new claims as in use', async () => {
    const cluster = new TestCluster()
    const node = await cluster.post('/api/v1/nodes', { metadata: { name: 'n1' } })
    expect(node.at('spec', 'taints')).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }])
    const claim = await cluster.post(`${core}/persistentvolumeclaims`, {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    expect(claim.at('metadata', 'finalizers')).toEqual(['kubernetes.io/pvc-protection'])
  })
})
