/** Object patches of script hooks: every operation, applied by the patcher to a cluster. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { ObjectPatcher } from '../../src/addons/scripts/patches/patcher.ts'
import { readPatches } from '../../src/addons/scripts/patches/read.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import { deployment, isRolledOut } from './workloads.ts'

onCluster('patches of script hooks', (cluster) => {
  const runtime = createRealRuntime({ log: { level: 'error' } })
  let client: KubeClient
  let namespace = ''
  let maps = ''
  beforeAll(async () => {
    const connection = await loadConnection(runtime, { kubeconfig: cluster.target.kubeconfig })
    client = createClient({ transport: networkTransport(connection, runtime), runtime })
  })
  beforeEach(async () => {
    namespace = await cluster.namespace()
    maps = `/api/v1/namespaces/${namespace}/configmaps`
  })

  /** Applies documents in which NS stands for the namespace of the test. */
  async function apply(text: string, through = client): Promise<readonly string[]> {
    const { operations, errors } = readPatches(text.replaceAll('NS', namespace), {})
    expect(errors).toEqual([])
    return new ObjectPatcher(through, runtime).apply(operations, new AbortController().signal)
  }

  const dataOf = async (name: string): Promise<unknown> => {
    const { status, body } = await cluster.call('GET', `${maps}/${name}`)
    return status === 200 ? (body as Thing & { data: unknown }).data : status
  }
  const map = (name: string, value: string, more = '') =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: NS${more}}, data: {k: ${value}}}`

  it('[addons P4] create: fails, ignores or updates existing objects', async () => {
    expect(await apply(`operation: Create\nobject: ${map('a', 'one')}`)).toEqual([])
    expect(await apply(`operation: Create\nobject: ${map('a', 'two')}`)).toEqual([
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[0\]: Create ConfigMap .*\/a: .*already exists/),
    ])
    expect(await apply(`operation: CreateIfNotExists\nobject: ${map('a', 'three')}`)).toEqual([])
    expect(await dataOf('a')).toEqual({ k: 'one' })
    expect(await apply(`operation: CreateOrUpdate\nobject: ${map('a', 'four')}`)).toEqual([])
    expect(await apply(`operation: CreateOrUpdate\nobject: ${map('b', 'five')}`)).toEqual([])
    expect([await dataOf('a'), await dataOf('b')]).toEqual([{ k: 'four' }, { k: 'five' }])
  })

  it('[addons P4] create accepts objects with a resourceVersion', async () => {
    const versioned = (name: string, value: string) => map(name, value, ', resourceVersion: "1"')
    expect(await apply(`operation: CreateOrUpdate\nobject: ${versioned('a', 'one')}`)).toEqual([])
    expect(await apply(`operation: CreateOrUpdate\nobject: ${versioned('a', 'two')}`)).toEqual([])
    expect(await apply(`operation: Create\nobject: ${versioned('b', 'three')}`)).toEqual([])
    expect([await dataOf('a'), await dataOf('b')]).toEqual([{ k: 'two' }, { k: 'three' }])
  })

  it('[addons P5] patches: jq, merge and JSON, by kind in any form', async () => {
    await apply(`operation: Create\nobject: ${map('a', 'one')}`)
    const errors = await apply(`
operation: JQPatch
kind: configmap
namespace: NS
name: a
jqFilter: '.data.k = "w" | .data.second = "x"'
---
operation: MergePatch
kind: cm
namespace: NS
name: a
mergePatch: {data: {second: null, m: why}}
---
operation: JSONPatch
apiVersion: v1
kind: ConfigMap
namespace: NS
name: a
jsonPatch: [{op: remove, path: /data/k}, {op: add, path: /data/j, value: z}]
`)
    expect(errors).toEqual([])
    expect(await dataOf('a')).toEqual({ m: 'why', j: 'z' })
  })

  it('[addons P5] a jq patch that changes nothing writes nothing', async () => {
    await apply(`operation: Create\nobject: ${map('a', 'one')}`)
    const before = (await cluster.call('GET', `${maps}/a`)).body.metadata.resourceVersion
    expect(await apply('operation: JQPatch\nkind: ConfigMap\nnamespace: NS\nname: a\njqFilter: .')).toEqual([])
    expect((await cluster.call('GET', `${maps}/a`)).body.metadata.resourceVersion).toBe(before)
  })

  it('[addons P5] patches of a subresource', async () => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
    await cluster.create(path, deployment('web', 0))
    expect(
      await apply(
        'operation: MergePatch\napiVersion: apps/v1\nkind: Deployment\nnamespace: NS\nname: web\nsubresource: /scale\nmergePatch: {spec: {replicas: 1}}',
      ),
    ).toEqual([])
    expect((await cluster.call('GET', `${path}/web`)).body.spec['replicas']).toBe(1)
  })

  it('[addons P6] patches of missing objects fail unless ignoreMissingObject is set', async () => {
    const patch = 'operation: MergePatch\nkind: ConfigMap\nnamespace: NS\nname: none\nmergePatch: {data: {a: b}}'
    expect(await apply(patch)).toEqual([expect.stringContaining('MergePatch ConfigMap')])
    expect(await apply(`${patch}\nignoreMissingObject: true`)).toEqual([])
  })

  it('[addons P7] retries a write after a conflict', async () => {
    await apply(`operation: Create\nobject: ${map('a', 'one')}`)
    let conflicts = 0
    /** Changes the object between each read and the following write, three times. */
    const rivalled: KubeClient = {
      ...client,
      discovery: client.discovery,
      of: (type) => {
        const resource = client.of<never>(type)
        return {
          ...resource,
          get: async (name, at) => {
            const object = await resource.get(name, at)
            if (conflicts++ < 3) {
              const value = { metadata: { labels: { touched: String(conflicts) } } }
              await resource.patch(name, { type: 'merge', value }, at)
            }
            return object
          },
        }
      },
    }
    const patch = `operation: JQPatch\nkind: ConfigMap\nnamespace: NS\nname: a\njqFilter: '.data.n = "x"'`
    expect(await apply(patch, rivalled)).toEqual([])
    expect(conflicts).toBe(4)
    conflicts = 0
    expect(await apply(`operation: CreateOrUpdate\nobject: ${map('a', 'two')}`, rivalled)).toEqual([])
    expect(conflicts).toBe(4)
    expect(await dataOf('a')).toEqual({ k: 'two' })
  })

  it('[addons P8] deletes objects and ignores missing ones', async () => {
    const text = ['Delete', 'DeleteInBackground', 'DeleteNonCascading'].map(
      (operation) => `operation: ${operation}\nkind: ConfigMap\nnamespace: NS\nname: ${operation.toLowerCase()}`,
    )
    for (const name of ['delete', 'deleteinbackground', 'deletenoncascading'])
      await apply(`operation: Create\nobject: ${map(name, 'one')}`)
    expect(await apply(text.join('\n---\n'))).toEqual([])
    expect(await dataOf('delete')).toBe(404)
    await cluster.untilGone(`${maps}/deleteinbackground`)
    await cluster.untilGone(`${maps}/deletenoncascading`)
    expect(await apply(text.join('\n---\n'))).toEqual([])
  })

  it('[addons P8] deletes in the foreground: dependents are deleted first', async () => {
    const path = `/apis/apps/v1/namespaces/${namespace}`
    await cluster.create(`${path}/deployments`, deployment('web', 1))
    // By then the garbage collector knows the dependents.
    await cluster.until(`${path}/deployments/web`, isRolledOut)
    expect(await apply('operation: Delete\nkind: Deployment\nnamespace: NS\nname: web')).toEqual([])
    expect((await cluster.call('GET', `${path}/deployments/web`)).status).toBe(404)
    expect((await cluster.call('GET', `${path}/replicasets`)).body.items).toEqual([])
  })

  it('[addons P3] logs no content of Secrets, although the server returns it', async () => {
    await apply(
      'operation: Create\nobject: {apiVersion: v1, kind: Secret, metadata: {name: s, namespace: NS}, stringData: {k: hunter2}}',
    )
    const errors = await apply(
      'operation: MergePatch\nkind: secret\nnamespace: NS\nname: s\nmergePatch: {data: {k: 1, other: hunter3}}',
    )
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/MergePatch secret .*\/s: refused by the server: Invalid/)
    expect(errors[0]).not.toMatch(/hunter|aHVudGVy/)
    const [failed] = await apply(
      'operation: JQPatch\nkind: Secret\nnamespace: NS\nname: s\njqFilter: .data.k | tonumber',
    )
    expect(failed).toMatch(/JQPatch Secret .*\/s: the filter failed: the message is not shown/)
    expect(failed).not.toMatch(/hunter|aHVudGVy/)
  })

  it('[addons P9] continues after a failed operation and reports all failures', async () => {
    const errors = await apply(`
operation: MergePatch
kind: ConfigMap
namespace: NS
name: none
mergePatch: {}
---
operation: Create
object: ${map('a', 'one')}
---
operation: DeleteInBackground
kind: Nonsense
name: x
`)
    expect(errors).toEqual([
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[0\]: MergePatch ConfigMap .*not found/),
      'KUBERNETES_PATCH_PATH[2]: DeleteInBackground Nonsense x: The cluster serves no resource "Nonsense".',
    ])
    expect(await dataOf('a')).toEqual({ k: 'one' })
  })
})
