import { describe, expect, it } from 'vitest'
import { type Pod, resources } from '../../src/kube/kinds/index.ts'
import type { AuditEntry } from '../../src/sandbox/apiserver/audit/audit.ts'
import { inCluster, type TestCluster } from './cluster.ts'

type Spec = Omit<Partial<Pod['spec']>, 'containers'> & { containers?: object[] }

function createPod(cluster: TestCluster, annotations: Record<string, string> = {}, spec: Spec = {}): Promise<Pod> {
  const prefixed = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`sandbox.carabiner.dev/${name}`, value]),
  )
  return cluster.create<Pod>(resources.pods, {
    metadata: { name: 'p', annotations: prefixed },
    spec: { containers: [{ name: 'main', image: 'i' }], ...spec } as Pod['spec'],
  })
}

const get = (cluster: TestCluster) => cluster.get<Pod>(resources.pods, 'p')
const ready = (pod: Pod) => pod.status?.conditions?.find(({ type }) => type === 'Ready')
const main = (pod: Pod) => pod.status?.containerStatuses?.[0]
const phase = (cluster: TestCluster, wanted: string) =>
  cluster.until(
    () => get(cluster),
    ({ status }) => status?.phase === wanted,
    120,
  )

async function phaseAfter(cluster: TestCluster, seconds: number): Promise<Pod> {
  await cluster.sleep(seconds)
  return get(cluster)
}

/** The events about the pod as `REASON: NOTE`. */
async function notes(cluster: TestCluster): Promise<string[]> {
  const events = (await cluster.list(resources.events)) as unknown as { reason?: string; note?: string }[]
  return events.map(({ reason, note }) => `${reason}: ${note}`)
}

describe('a simulated node', () => {
  it('writes the status of a quickly starting pod once, when it is ready', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { 'start-delay': '50ms' }, { nodeName: 'node-1' })
      await cluster.sleep(0.03)
      expect(main(await get(cluster))).toBeUndefined()
      await cluster.sleep(0.07)
      expect(ready(await get(cluster))?.status).toBe('True')
    })
  })

  it('starts a pod and makes it ready after its delays', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { 'start-delay': '5s', 'ready-delay': '10s' })
      await cluster.sleep(2)
      const creating = await get(cluster)
      expect(creating.status?.phase).toBe('Pending')
      expect(main(creating)?.state).toEqual({ waiting: { reason: 'ContainerCreating' } })
      await cluster.sleep(5)
      const running = await get(cluster)
      expect(running.status?.phase).toBe('Running')
      expect(ready(running)).toMatchObject({
        status: 'False',
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [main]',
      })
      await cluster.sleep(10)
      expect(ready(await get(cluster))).toEqual({
        type: 'Ready',
        status: 'True',
        observedGeneration: 1,
        lastProbeTime: null,
        lastTransitionTime: '2026-01-01T00:00:15Z',
      })
    })
  })

  it('restarts crashing containers with back-off', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { 'exit-code': '7', 'run-for': '1s' })
      const looping = await cluster.until(
        () => get(cluster),
        (pod) => main(pod)?.state?.waiting?.reason === 'CrashLoopBackOff',
        120,
      )
      expect(main(looping)?.state?.waiting?.message).toMatch(
        /^back-off 10s restarting failed container=main pod=p_default\(/,
      )
      expect(main(looping)?.lastState?.terminated).toMatchObject({ exitCode: 7, reason: 'Error' })
      await cluster.until(
        () => get(cluster),
        (pod) => (main(pod)?.restartCount ?? 0) >= 4,
        200,
      )
    })
  })

  it('completes a pod after failed attempts', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { 'exit-code': '1,0' }, { restartPolicy: 'OnFailure' })
      expect(main(await phase(cluster, 'Succeeded'))).toMatchObject({
        restartCount: 1,
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
      })
    })
  })

  it('runs init containers in order and stops at a failed one', async () => {
    await inCluster(async (cluster) => {
      const initContainers = [
        { name: 'one', image: 'i' },
        { name: 'two', image: 'i' },
      ]
      await createPod(
        cluster,
        { 'one.run-for': '5s', 'two.run-for': '5s', 'two.exit-code': '1' },
        { initContainers, restartPolicy: 'Never' },
      )
      await cluster.sleep(7)
      const inside = await get(cluster)
      expect(inside.status?.initContainerStatuses?.map(({ ready: passed }) => passed)).toEqual([true, false])
      expect(inside.status?.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
        status: 'False',
        reason: 'ContainersNotInitialized',
        message: 'containers with incomplete status: [two]',
      })
      await phase(cluster, 'Failed')
    })
  })

  it('runs a sidecar until the main containers end', async () => {
    await inCluster(async (cluster) => {
      const initContainers = [{ name: 'side', image: 'i', restartPolicy: 'Always' }]
      await createPod(cluster, { 'main.run-for': '5s' }, { initContainers, restartPolicy: 'Never' })
      await cluster.sleep(2)
      expect((await get(cluster)).status?.initContainerStatuses?.[0]).toMatchObject({ started: true, ready: true })
      await phase(cluster, 'Succeeded')
    })
  })

  it('waits for the grace period, then kills', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { 'stop-delay': '60s' }, { terminationGracePeriodSeconds: 20 })
      await phase(cluster, 'Running')
      await cluster.client.of(resources.pods).delete('p', { namespace: 'default' })
      await cluster.sleep(15)
      expect((await get(cluster)).metadata.deletionTimestamp).toBeDefined()
      await cluster.sleep(10)
      expect(await cluster.list(resources.pods)).toEqual([])
    })
  })

  it('makes no requests for a deleted pod that has finished', async () => {
    const deletions: string[] = []
    const audit = ({ verb, resource, user }: AuditEntry) =>
      void (verb === 'delete' && resource === 'pods' && deletions.push(user.name))
    await inCluster(
      async (cluster) => {
        await createPod(cluster, { 'run-for': '1s' }, { restartPolicy: 'Never' })
        await phase(cluster, 'Succeeded')
        await cluster.patch(resources.pods, 'p', { metadata: { finalizers: ['example.com/kept'] } })
        await cluster.client.of(resources.pods).delete('p', { namespace: 'default' })
        await cluster.sleep(5)
        expect((await get(cluster)).metadata.deletionGracePeriodSeconds).toBe(0)
        await cluster.patch(resources.pods, 'p', { metadata: { finalizers: null } })
        expect(await cluster.list(resources.pods)).toEqual([])
        expect(deletions).toHaveLength(1)
      },
      { audit },
    )
  })

  it('fails a pod at its deadline', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, {}, { activeDeadlineSeconds: 10 })
      const failed = await phase(cluster, 'Failed')
      expect(failed.status).toMatchObject({ reason: 'DeadlineExceeded' })
    })
  })

  it('waits for readiness gates', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, {}, { readinessGates: [{ conditionType: 'example.com/checked' }] })
      await phase(cluster, 'Running')
      expect(ready(await get(cluster))).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' })
      const value = { status: { conditions: [{ type: 'example.com/checked', status: 'True' }] } }
      await cluster.client
        .of(resources.pods)
        .patch('p', { type: 'strategic', value }, { namespace: 'default', subresource: 'status' })
      await cluster.until(
        () => get(cluster),
        (pod) => ready(pod)?.status === 'True',
        10,
      )
    })
  })

  it('reports a missing image', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { image: 'missing' })
      await cluster.until(
        () => get(cluster),
        (pod) => main(pod)?.state?.waiting?.reason === 'ErrImagePull',
        10,
      )
    })
  })

  it('follows a script', async () => {
    await inCluster(
      async (cluster) => {
        await createPod(cluster, {}, { restartPolicy: 'Never' })
        expect(main(await phase(cluster, 'Failed'))?.state?.terminated?.exitCode).toBe(9)
      },
      {
        simulate: { script: (_, container) => (container.name === 'main' ? { runFor: 1000, exitCode: 9 } : undefined) },
      },
    )
  })

  it('keeps logs', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, { log: 'first\nsecond' })
      await phase(cluster, 'Running')
      const read = async (options: object) => {
        let text = ''
        for await (const bytes of cluster.client.logs({ namespace: 'default', name: 'p' }, options))
          text += new TextDecoder().decode(bytes)
        return text
      }
      expect(await read({})).toBe('first\nsecond\n')
      expect(await read({ tailLines: 1 })).toBe('second\n')
    })
  })

  it('keeps an unschedulable pod pending until it fits', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, {}, { nodeSelector: { disk: 'ssd' } })
      await cluster.sleep(2)
      const pending = await get(cluster)
      expect(pending.status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
        status: 'False',
        reason: 'Unschedulable',
        message: expect.stringContaining(
          "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
        ),
      })
      await cluster.patch(resources.nodes, 'node-2', { metadata: { labels: { disk: 'ssd' } } })
      expect((await phase(cluster, 'Running')).spec.nodeName).toBe('node-2')
    })
  })

  it('does not start a container whose Secret is missing, and starts it when the Secret exists', async () => {
    await inCluster(async (cluster) => {
      const password = { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }
      await createPod(cluster, {}, { containers: [{ name: 'main', image: 'i', env: [password] }] })
      await cluster.sleep(60)
      const waiting = await get(cluster)
      expect(waiting.status?.phase).toBe('Pending')
      const reason = 'CreateContainerConfigError'
      expect(main(waiting)?.state).toEqual({ waiting: { reason, message: 'secret "db" not found' } })
      expect(await notes(cluster)).toContain('Failed: Error: secret "db" not found')
      const secret = { metadata: { name: 'db' }, data: { other: btoa('x') } }
      await cluster.create(resources.secrets, secret as never)
      await cluster.sleep(15)
      expect(main(await get(cluster))?.state).toEqual({
        waiting: { reason, message: "couldn't find key password in Secret default/db" },
      })
      await cluster.patch(resources.secrets, 'db', { data: { password: btoa('x') } })
      await phase(cluster, 'Running')
    })
  })

  it('accepts optional references that are missing', async () => {
    await inCluster(async (cluster) => {
      const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a', optional: true } } }]
      const envFrom = [{ secretRef: { name: 'none', optional: true } }]
      const volumes = [{ name: 'v', configMap: { name: 'none', optional: true } }]
      await createPod(cluster, {}, { containers: [{ name: 'main', image: 'i', env, envFrom }], volumes })
      await phase(cluster, 'Running')
    })
  })

  it.each([
    [
      'a Secret',
      { secret: { secretName: 'none' } },
      'MountVolume.SetUp failed for volume "v" : secret "none" not found',
    ],
    [
      'a ConfigMap',
      { projected: { sources: [{ configMap: { name: 'none' } }] } },
      'MountVolume.SetUp failed for volume "v" : configmap "none" not found',
    ],
    [
      'a key',
      { configMap: { name: 'there', items: [{ key: 'b', path: 'b' }] } },
      'MountVolume.SetUp failed for volume "v" : references non-existent config key: b',
    ],
    [
      'a claim',
      { persistentVolumeClaim: { claimName: 'none' } },
      'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: error processing PVC default/none: failed to fetch PVC from API server: persistentvolumeclaims "none" not found',
    ],
  ])('does not start a pod that mounts %s that is missing', async (_, source, message) => {
    await inCluster(async (cluster) => {
      await cluster.create(resources.configMaps, { metadata: { name: 'there' }, data: { a: '1' } } as never)
      await createPod(cluster, {}, { volumes: [{ name: 'v', ...source }], activeDeadlineSeconds: 300 })
      await cluster.sleep(60)
      const pod = await get(cluster)
      expect(pod.status?.phase).toBe('Pending')
      expect(main(pod)?.state).toEqual({ waiting: { reason: 'ContainerCreating' } })
      expect(await notes(cluster)).toContain(`FailedMount: ${message}`)
      expect((await phaseAfter(cluster, 300)).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
    })
  })

  it('mounts a volume once its ConfigMap exists', async () => {
    await inCluster(async (cluster) => {
      await createPod(cluster, {}, { volumes: [{ name: 'v', configMap: { name: 'late' } }] })
      await cluster.sleep(3)
      await cluster.create(resources.configMaps, { metadata: { name: 'late' }, data: {} } as never)
      await cluster.sleep(5)
      expect((await get(cluster)).status?.phase).toBe('Running')
    })
  })
})
