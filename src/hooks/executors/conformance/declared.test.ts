import { describe, it } from 'vitest'
import { createClient } from '../../../kube/client/create.ts'
import { isAlreadyExists, unless } from '../../../kube/errors.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import { handlerTransport } from '../../../kube/transport/handler.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { ApiServer } from '../../../sandbox/index.ts'
import { objectName, type Run } from '../../run/index.ts'
import { type HookObject, projectHookObject } from '../hook-object.ts'
import { ObjectExecutor } from '../object-executor.ts'
import { promises } from './promises.ts'
import { type ExecutorWorld, printedLine } from './world.ts'

const namespace = 'default'
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'owner-1' }
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'check:1' }] }

const kinds = {
  job: {
    type: resources.jobs,
    object: (name: string, metadata: object) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace, ...metadata },
      spec: { template: { spec: podSpec } },
    }),
    status(how: 'success' | 'failure') {
      const time = '2026-01-01T00:01:00Z'
      const condition = (type: string) => ({
        type,
        status: 'True',
        lastTransitionTime: time,
        reason: 'BackoffLimitExceeded',
      })
      return how === 'success'
        ? {
            ...{ startTime: time, completionTime: time, succeeded: 1 },
            conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
          }
        : { startTime: time, failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] }
    },
  },
  pod: {
    type: resources.pods,
    object: (name: string, metadata: object) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, ...metadata },
      spec: podSpec,
    }),
    status: (how: 'success' | 'failure') => ({ phase: how === 'success' ? 'Succeeded' : 'Failed' }),
  },
} as const

/** What the controller of Jobs would create. */
const podOfJob = (name: string) =>
  ({
    ...{ apiVersion: 'v1', kind: 'Pod', spec: podSpec },
    metadata: { name: `${name}-x`, namespace, labels: { 'batch.kubernetes.io/job-name': name } },
  }) as KubeObject

/** An API server whose pods have printed something. */
function serverOf(runtime: ConstructorParameters<typeof ApiServer>[0]) {
  const server = new ApiServer(runtime)
  const inner = server.as()
  let creates = 0
  const isOurs = (body: Uint8Array | undefined) => new TextDecoder().decode(body).includes('"ours"')
  const handler: typeof inner = async (request) => {
    if (/\/log($|\?)/.test(request.target))
      return { status: 200, headers: {}, body: new TextEncoder().encode(`${printedLine}\n`) }
    const response = await inner(request)
    if (request.method === 'POST' && response.status === 201 && isOurs(request.body)) creates += 1
    return response
  }
  return { handler, creates: () => creates }
}

describe.each(Object.entries(kinds))('the %s executor', (_, kind) => {
  it.each(promises.filter(({ says }) => says.declared !== undefined))('keeps the promise: $name', (promise) => {
    const simulation = createSimulation(1)
    const { clock } = simulation.runtime
    return simulation.run(async () => {
      const { handler, creates } = serverOf(simulation.domain('server').runtime)
      const outside = createClient({ transport: handlerTransport(handler), runtime: simulation.runtime })
      const objects = outside.of<KubeObject>(kind.type)
      const pods = outside.of<KubeObject>(resources.pods)
      let created = 0
      const start = () => {
        const { runtime } = simulation.domain('operator')
        const client = createClient({ transport: handlerTransport(handler), runtime })
        const { signal } = new AbortController()
        const reflector = createReflector<HookObject>(client.of<KubeObject>(kind.type), runtime, {
          ...{ labelSelector: 'ours', project: projectHookObject },
        })
        void reflector.run(signal)
        const now = (work: () => Promise<void>) => work()
        return new ObjectExecutor({
          ...{ client, runtime, signal, caches: [reflector.cache], cleanup: { background: now, whenIdle: now } },
          beforeDelete: { saveLogs: async () => undefined, onDeleteFailed: () => undefined },
        })
      }
      let executor = start()
      // Longer than the executor waits for its cache, and shorter than it remembers what it found then.
      const settle = async () => {
        await clock.sleep(7_000)
        created = creates()
        if (kind.type !== resources.jobs) return
        for (const { metadata } of (await objects.list({ namespace, labelSelector: 'ours' })).items)
          await pods.create(podOfJob(metadata.name)).catch(unless(isAlreadyExists))
      }
      await settle()
      const world: ExecutorWorld = {
        executor: () => executor as never,
        action: (run: Run) => ({
          object: kind.object(objectName(run), { labels: { ours: 'yes' }, ownerReferences: [owner] }),
        }),
        starts: () => created,
        isUnderWay: async (run) =>
          (await objects.list({ namespace })).items.some(({ metadata }) => metadata.name === objectName(run)),
        async end(run, how) {
          const value = { status: kind.status(how) }
          await objects.patch(objectName(run), { type: 'merge', value }, { namespace, subresource: 'status' })
        },
        async restart() {
          simulation.halt('operator')
          executor = start()
        },
        settle,
        async vanish(run) {
          await objects.delete(objectName(run), { namespace, propagationPolicy: 'Background', gracePeriodSeconds: 0 })
        },
        async occupyName(run) {
          const { metadata } = await objects.create(kind.object(objectName(run), {}) as KubeObject)
          return async () => {
            const found = await objects.get(metadata.name, { namespace })
            return found.metadata.uid === metadata.uid && found.metadata.resourceVersion === metadata.resourceVersion
          }
        },
      }
      await promise.check(world, 'declared')
    })
  })
})
