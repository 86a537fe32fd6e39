/** Policies of an earlier version, which had one per kind with other names: they are replaced without a gap. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { admissionPolicies } from '../../src/rollouts/gate/admission-policies.ts'
import { inspectGate } from '../../src/rollouts/gate/inspect.ts'
import { validatingPolicies } from '../../src/rollouts/gate/validating-policies.ts'
import { optInLabel } from '../../src/rollouts/labels.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { startEngineOn } from './engine.ts'
import { asEngine, definePolicies, hasAdmissionPolicies, removeGates } from './gate.ts'
import { pollUntil } from './poll-until.ts'
import { onCluster } from './suite.ts'
import { daemonSet, deployment, mergePatch, podTemplate, statefulSet } from './workloads.ts'

const registrations = '/apis/admissionregistration.k8s.io/v1'
const hold = 'carabiner.dev/hold'
const kinds = [
  ['deployments', deployment('web', 0), { paused: false }],
  ['statefulsets', statefulSet('web', 0), { updateStrategy: { rollingUpdate: { partition: 0 } } }],
  ['daemonsets', daemonSet('web'), { updateStrategy: { type: 'RollingUpdate' } }],
] as const

onCluster('a gate of an earlier version', (cluster) => {
  let hasPolicies = false
  beforeAll(async () => {
    await definePolicies(cluster)
    hasPolicies = await hasAdmissionPolicies(cluster)
    if (!hasPolicies) return
    await removeGates(cluster)
    await installEarlier()
  })
  afterAll(() => removeGates(cluster))

  async function installEarlier(): Promise<void> {
    const engine = asEngine['impersonate-user']
    const objects = [...admissionPolicies(engine), ...validatingPolicies(engine)] as (KubeObject & { spec: object })[]
    for (const object of objects.filter(({ metadata }) => !metadata.name.startsWith('carabiner-warn'))) {
      const name = `${object.metadata.name}-deployments`
      const isBinding = object.kind.endsWith('Binding')
      const collection = `${registrations}/${object.kind.toLowerCase().replace(/policy$/, 'policie')}s`
      const spec = isBinding ? { ...object.spec, policyName: name } : object.spec
      await cluster.create(collection, { ...object, metadata: { ...object.metadata, name }, spec })
    }
  }

  const registered = async () => {
    const names: string[] = []
    for (const resource of ['mutatingadmissionpolic', 'validatingadmissionpolic'])
      for (const collection of [`${resource}ies`, `${resource}ybindings`]) {
        const { body } = await cluster.call('GET', `${registrations}/${collection}`)
        names.push(...(body.items ?? []).map(({ metadata }) => `${collection}/${metadata.name}`))
      }
    return names
  }

  it('is recognized as a gate', async (context) => {
    if (!hasPolicies) context.skip('the API server has no admission policies')
    const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
    const transport = networkTransport(await loadConnection(runtime, cluster.target), runtime)
    try {
      const inspection = await inspectGate(createClient({ transport, runtime }), 'default')
      expect(inspection).toMatchObject({ installed: 'policies', engine: asEngine['impersonate-user'] })
    } finally {
      await transport.close()
      await runtime.close()
    }
  })

  it('holds until the new gate holds', async (context) => {
    if (!hasPolicies) context.skip('the API server has no admission policies')
    const ns = await cluster.namespace()
    const paths = new Map<string, string>()
    for (const [resource, object] of kinds) {
      const collection = `/apis/apps/v1/namespaces/${ns}/${resource}`
      await cluster.create(collection, object)
      paths.set(resource, `${collection}/web`)
    }
    let version = 1
    /** Changes a template and releases the workload like the engine; returns whether it was held. */
    const tryOne = async ([resource, , open]: (typeof kinds)[number]) => {
      const path = paths.get(resource) ?? ''
      const body = {
        metadata: { labels: { [optInLabel]: 'web' } },
        spec: { template: podTemplate('web', `example/app:${++version}`) },
      }
      const { status, body: changed } = await cluster.call('PATCH', path, { headers: mergePatch, body })
      const opened = { metadata: { labels: { [hold]: null } }, spec: open }
      await cluster.call('PATCH', path, { headers: { ...mergePatch, ...asEngine }, body: opened })
      return [resource, status === 200 ? changed.metadata.labels?.[hold] : status] as const
    }
    for (const kind of kinds) {
      const isHeld = ([, hold]: Awaited<ReturnType<typeof tryOne>>) => hold === 'gate'
      await pollUntil(`the earlier gate of ${kind[0]}`, () => tryOne(kind), isHeld)
    }

    const slipped: unknown[] = []
    const writes = async () => {
      for (const kind of kinds) {
        const answer = await tryOne(kind)
        if (answer[1] !== 'gate') slipped.push(answer)
      }
    }
    let isStarted = false
    const writer = (async () => {
      while (!isStarted) await writes()
    })()
    const engine = await startEngineOn(cluster, { use: 'policies' }).finally(() => {
      isStarted = true
    })
    await writer
    try {
      // API servers observe the removal of the old policies with a delay.
      for (let turn = 0; turn < 30; turn++) await writes()
    } finally {
      await engine.stop()
    }
    expect(slipped).toEqual([])
    const policies = ['carabiner-close', 'carabiner-pin']
    const validating = [
      ...['carabiner-closed', 'carabiner-pinned', 'carabiner-warn-held', 'carabiner-warn-policy'],
      'carabiner-warn-released',
    ]
    expect(await registered()).toEqual([
      ...policies.map((name) => `mutatingadmissionpolicies/${name}`),
      ...policies.map((name) => `mutatingadmissionpolicybindings/${name}`),
      ...validating.map((name) => `validatingadmissionpolicies/${name}`),
      ...validating.map((name) => `validatingadmissionpolicybindings/${name}`),
    ])
  })
})
