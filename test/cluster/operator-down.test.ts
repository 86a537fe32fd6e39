/** Workloads while no operator runs, per gate: no new template rolls out, and nothing else is blocked. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSurface, startEngineOn } from './engine.ts'
import { definePolicies, hasAdmissionPolicies, removeGates } from './gate.ts'
import { pollUntil } from './poll-until.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import {
  conditionOf,
  count,
  deployment,
  endJob,
  imageOf,
  isRolledOut,
  job,
  mergePatch,
  podsByImage,
  podTemplate,
  statefulSet,
} from './workloads.ts'

const rolloutOf = ({ status }: Thing) =>
  (status as { rollout?: { phase: string; endedAt?: string; hooks: { object?: { name: string } }[] } } | undefined)
    ?.rollout
const hookJobOf = (policy: Thing) => rolloutOf(policy)?.hooks[0]?.object?.name

onCluster('while the operator is down', (cluster) => {
  let hasPolicies = false
  beforeAll(async () => {
    await definePolicies(cluster)
    hasPolicies = await hasAdmissionPolicies(cluster)
  })
  let engine: RunningSurface | undefined
  afterEach(async () => {
    await engine?.stop()
    engine = undefined
    await removeGates(cluster)
  })
  afterAll(() => removeGates(cluster))

  const patch = (path: string, body: unknown) => cluster.call('PATCH', path, { headers: mergePatch, body })
  const image = (app: string, version: number) => ({ spec: { template: podTemplate(app, `example/app:${version}`) } })
  const kinds = [
    ['Deployment', 'deployments', 'web', deployment('web', 2), isRolledOut],
    ['StatefulSet', 'statefulsets', 'db', statefulSet('db', 2), (found: Thing) => count(found, 'readyReplicas') === 2],
  ] as const

  describe.each(['policies', 'webhook', 'at-rest'] as const)('with the gate %s', (use) => {
    it('creates no new pod, scales, and continues the rollout later', async (context) => {
      if (use === 'policies' && !hasPolicies) context.skip('the API server has no admission policies')
      engine = await startEngineOn(cluster, { use })
      const ns = await cluster.namespace()
      const apps = `/apis/apps/v1/namespaces/${ns}`
      const policies = `/apis/carabiner.dev/v1alpha1/namespaces/${ns}/rolloutpolicies`
      const begun = kinds.map(async ([kind, resource, name, object, isUp]) => {
        await cluster.create(`${apps}/${resource}`, object)
        await cluster.until(`${apps}/${resource}/${name}`, isUp)
        // Runs until the test completes it, because each gate needs a different time to get here and to stop the
        // operator.
        const hook = { backoffLimit: 0, ...job('hook', {}, { 'run-for': '1h' }).spec }
        await cluster.create(policies, {
          apiVersion: 'carabiner.dev/v1alpha1',
          kind: 'RolloutPolicy',
          metadata: { name },
          spec: {
            targetRef: { apiVersion: 'apps/v1', kind, name },
            lifecycle: { pre: { failurePolicy: 'Abort', jobSpec: hook } },
          },
        })
        const ready = await cluster.until(
          `${policies}/${name}`,
          (found) => conditionOf(found, 'Ready')?.status === 'True',
        )
        expect((ready.status as { gate?: string }).gate).toBe(use)
        await untilGateIsEffective(`${apps}/${resource}/${name}`)
        return hookJobOf(await cluster.until(`${policies}/${name}`, (found) => hookJobOf(found) !== undefined))
      })
      const hooks = await Promise.all(begun)
      await cluster.create(`${apps}/deployments`, deployment('other', 1))
      await engine.stop()
      engine = undefined

      const refused: string[] = []
      for (const [, resource, name] of kinds) {
        const path = `${apps}/${resource}/${name}`
        const changed = await patch(path, image(name, 99))
        if (changed.status !== 200) refused.push(changed.body.message)
        expect((await patch(path, { metadata: { annotations: { edited: 'true' } } })).status).toBe(200)
        expect((await patch(`${path}/scale`, { spec: { replicas: 3 } })).status).toBe(200)
        await cluster.until(path, (found) => count(found, 'readyReplicas') === 3)
        expect(await podsByImage(cluster, ns, name)).toEqual({ 'example/app:1': 3 })
      }
      if (use === 'webhook') {
        expect(refused).toHaveLength(kinds.length)
        expect(refused[0]).toContain('failed calling webhook "close.gate.carabiner.dev"')
      } else expect(refused).toEqual([])
      expect((await patch(`${apps}/deployments/other`, image('other', 2))).status).toBe(200)
      await cluster.until(
        `${apps}/deployments/other`,
        (found) => isRolledOut(found) && imageOf(found) === 'example/app:2',
      )

      engine = await startEngineOn(cluster, { use })
      for (const [index, [, resource, name]] of kinds.entries()) {
        // The template changed meanwhile has its own hook.
        const under = await cluster.until(`${policies}/${name}`, (found) => {
          const present = hookJobOf(found)
          return present !== undefined && (present === hooks[index]) === (use === 'webhook')
        })
        await endJob(cluster, ns, hookJobOf(under) ?? '')
        await cluster.until(`${policies}/${name}`, (found) => rolloutOf(found)?.phase === 'Complete')
        const wanted = imageOf((await cluster.call('GET', `${apps}/${resource}/${name}`)).body) ?? ''
        expect(await podsByImage(cluster, ns, name)).toEqual({ [wanted]: 3 })
        expect(wanted === 'example/app:99').toBe(use !== 'webhook')
      }
    }, 300_000)

    /** API servers observe a gate through watches; it is effective once a change is held. */
    async function untilGateIsEffective(path: string): Promise<void> {
      const name = path.slice(path.lastIndexOf('/') + 1)
      await cluster.until(
        path,
        (found) => use !== 'at-rest' || found.metadata.labels?.['carabiner.dev/hold'] === 'gate',
      )
      const probe = await cluster.namespace()
      const collection = `/apis/apps/v1/namespaces/${probe}/${path.split('/').at(-2)}`
      const labels = { 'carabiner.dev/rollout-policy': 'probe' }
      const make = path.includes('/deployments/') ? deployment : statefulSet
      const object = make('probe', 0)
      if (use !== 'at-rest') {
        await cluster.create(collection, object)
        await pollUntil(
          'a held change',
          (turn) => patch(`${collection}/probe`, { metadata: { labels }, ...image('probe', turn + 2) }),
          ({ body }) => body.metadata.labels?.['carabiner.dev/hold'] !== undefined,
        )
      }
      expect((await patch(path, image(name, 2))).status).toBe(200)
    }
  })
})
