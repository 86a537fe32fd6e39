/** Logs of hooks are kept after their pods are deleted on any cluster, without their secrets, and the program shows them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../sandbox/program.ts'
import { startEngineOn } from './engine.ts'
import { definePolicies, type InstalledGate, installGate } from './gate.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import { behaviour, conditionOf, deployment, isRolledOut, mergePatch, podTemplate } from './workloads.ts'

const isOver = ({ status }: Thing) => (status as { rollout?: { endedAt?: string } })?.rollout?.endedAt !== undefined
const hook = (name: string, progressPoint: number | string, settings: Readonly<Record<string, string>>) => ({
  name,
  trigger: { progressAvailableParams: { progressPoint } },
  retainPolicy: 'Never',
  jobSpec: {
    backoffLimit: 0,
    template: {
      metadata: { annotations: behaviour({ 'run-for': '1s', ...settings }) },
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: 'example/hook:1',
            env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
          },
        ],
      },
    },
  },
})

onCluster('the journal of rollouts', (cluster) => {
  let gate: InstalledGate
  let stopSurface = async () => {}
  beforeAll(async () => {
    await definePolicies(cluster)
    gate = await installGate(cluster)
    stopSurface = (await startEngineOn(cluster)).stop
  })
  afterAll(async () => {
    await stopSurface()
    await gate?.remove()
  })

  it('keeps the logs of hooks after their Jobs are deleted, and the program shows them', async () => {
    const ns = await cluster.namespace()
    const workload = `/apis/apps/v1/namespaces/${ns}/deployments/web`
    const policies = `/apis/carabiner.dev/v1alpha1/namespaces/${ns}/rolloutpolicies`
    await cluster.create(`/api/v1/namespaces/${ns}/secrets`, {
      metadata: { name: 'db' },
      data: { password: btoa('hunter22') },
    })
    await cluster.create(`/apis/apps/v1/namespaces/${ns}/deployments`, deployment('web', 2))
    await cluster.until(workload, isRolledOut)
    await cluster.create(policies, {
      apiVersion: 'carabiner.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'web' },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        lifecycleHooks: [
          hook('migrate', 0, { log: 'psql -p hunter22\n3 tables changed' }),
          hook('smoke', '50%', { log: 'the cart is empty', 'exit-code': '1' }),
        ],
      },
    })
    await cluster.until(`${policies}/web`, (found) => conditionOf(found, 'Ready')?.status === 'True')
    const body = { spec: { template: podTemplate('web', 'example/app:2') } }
    await cluster.call('PATCH', workload, { headers: mergePatch, body })
    await cluster.until(`${policies}/web`, isOver)
    await cluster.untilList(`/apis/batch/v1/namespaces/${ns}/jobs`, (jobs) => jobs.length === 0)
    await cluster.until(
      `/api/v1/namespaces/${ns}/configmaps/web-rollouts-journal`,
      (page) => Object.keys((page as unknown as { data: object }).data).length === 2,
    )
    const { stdout, stderr, code } = await run([
      ...['rollout', 'logs', 'deployment/web', '-n', ns, '--kubeconfig', cluster.target.kubeconfig],
    ])
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout).toMatch(
      /^--> migrate at 0, revision 2: succeeded .* ago after .*\npsql -p \[redacted\]\n3 tables changed\n--> smoke at 50%, .*: failed .* ago after .*\n.*\nthe cart is empty\n$/,
    )
  }, 300_000)
})
