/** What the cluster does on its own: namespaces, service accounts, owner references, scheduling. */
import { expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import { conditionOf, deployment, isRolledOut, podTemplate } from './workloads.ts'

onCluster('housekeeping', (cluster) => {
  it('creates the default objects of a namespace', async () => {
    const ns = await cluster.namespace()
    const found = await cluster.call('GET', `/api/v1/namespaces/${ns}`)
    expect(found.body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': ns } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
    const ca = await cluster.until(`/api/v1/namespaces/${ns}/configmaps/kube-root-ca.crt`, () => true)
    expect(ca.data?.['ca.crt']).toContain('BEGIN CERTIFICATE')
  })

  it('deletes the content of a namespace before the namespace', async () => {
    const ns = await cluster.namespace()
    await cluster.create(`/apis/apps/v1/namespaces/${ns}/deployments`, deployment('web', 1))
    await cluster.until(`/apis/apps/v1/namespaces/${ns}/deployments/web`, isRolledOut)
    const deleted = await cluster.call('DELETE', `/api/v1/namespaces/${ns}`)
    expect(deleted.body.status).toMatchObject({ phase: 'Terminating' })
    const refused = await cluster.call('POST', `/api/v1/namespaces/${ns}/configmaps`, {
      body: { metadata: { name: 'late' } },
    })
    expect([403, 404]).toContain(refused.status)
    await cluster.untilGone(`/api/v1/namespaces/${ns}`)
  })

  it('garbage-collects dependents of deleted owners', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const owner = await cluster.create(path, { metadata: { name: 'owner' } })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }]
    await cluster.create(path, { metadata: { name: 'owned', ownerReferences } })
    await cluster.call('DELETE', `${path}/owner`)
    await cluster.untilGone(`${path}/owned`)
  })

  it('garbage-collects objects with an owner that never existed', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: '00000000-0000-4000-8000-000000000000' },
    ]
    await cluster.create(path, { metadata: { name: 'orphan', ownerReferences } })
    await cluster.untilGone(`${path}/orphan`)
  })

  it('keeps an owner in foreground deletion until its dependents are deleted', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const owner = await cluster.create(path, { metadata: { name: 'owner' } })
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, blockOwnerDeletion: true },
    ]
    await cluster.create(path, { metadata: { name: 'owned', ownerReferences, finalizers: ['example.com/hold'] } })
    const deleted = await cluster.call('DELETE', `${path}/owner`, { body: { propagationPolicy: 'Foreground' } })
    expect(deleted.body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await cluster.until(`${path}/owned`, (found) => found.metadata.deletionTimestamp !== undefined)
    expect((await cluster.call('GET', `${path}/owner`)).status).toBe(200)
    const headers = { 'content-type': 'application/json-patch+json' }
    await cluster.call('PATCH', `${path}/owned`, { headers, body: [{ op: 'remove', path: '/metadata/finalizers' }] })
    await cluster.untilGone(`${path}/owner`)
  })

  it('reports why a pod cannot be scheduled', async () => {
    const ns = await cluster.namespace()
    const { spec } = podTemplate('lost')
    const path = `/api/v1/namespaces/${ns}/pods`
    await cluster.create(path, { metadata: { name: 'lost' }, spec: { ...spec, nodeSelector: { nowhere: 'yes' } } })
    const pattern = /^0\/\d nodes are available: \d node\(s\) didn't match Pod's node affinity\/selector/
    // Other problems of nodes are reported first and change the message when they end.
    const lost = await cluster.until(`${path}/lost`, (pod) =>
      pattern.test(conditionOf(pod, 'PodScheduled')?.message ?? ''),
    )
    expect(conditionOf(lost, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' })
    const statusEntries = lost.metadata.managedFields?.filter(({ subresource }) => subresource === 'status')
    expect(statusEntries?.map(({ manager }) => manager)).toEqual(['kube-scheduler'])
  })

  it('deletes a pod gracefully', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/pods`
    const { metadata, spec } = podTemplate('slow', 'example/app:1', { 'stop-delay': '5s' })
    await cluster.create(path, { metadata: { ...metadata, name: 'slow' }, spec })
    await cluster.until(`${path}/slow`, (pod) => conditionOf(pod, 'Ready')?.status === 'True')
    const deleted = await cluster.call('DELETE', `${path}/slow`)
    expect(deleted.body.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 30,
    })
    expect((await cluster.call('GET', `${path}/slow`)).status).toBe(200)
    await cluster.untilGone(`${path}/slow`)
  })

  it('sets the service account of pods and mounts its token', async () => {
    const ns = await cluster.namespace()
    const { spec } = podTemplate('plain')
    const pod = await cluster.create(`/api/v1/namespaces/${ns}/pods`, { metadata: { name: 'plain' }, spec })
    expect(pod.spec).toMatchObject({
      serviceAccountName: 'default',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
    })
    const [container] = pod.spec['containers'] as { imagePullPolicy: string; volumeMounts: { mountPath: string }[] }[]
    expect(container).toMatchObject({
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }],
    })
    expect(pod.status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' })
  })

  it('evicts pods within the disruption budget', async () => {
    const ns = await cluster.namespace()
    await cluster.create(`/apis/apps/v1/namespaces/${ns}/deployments`, deployment('web', 2))
    await cluster.create(`/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`, {
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    })
    await cluster.until(
      `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets/web`,
      (budget) => (budget.status as { currentHealthy?: number })?.currentHealthy === 2,
    )
    const [pod] = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    const name = pod?.metadata.name
    const refused = await cluster.call('POST', `/api/v1/namespaces/${ns}/pods/${name}/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: ns } },
    })
    expect(refused.status).toBe(429)
    expect(refused.body.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.")
  })
})
