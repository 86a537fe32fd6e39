/** `carabiner install` after `carabiner run --install`: it takes over, or changes nothing. It ends when its pods run, and says why they do not. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { type Running, run, start } from '../sandbox/program.ts'
import { removeGates } from './gate.ts'
import { pollUntil } from './poll-until.ts'
import { onCluster } from './suite.ts'
import { mergePatch } from './workloads.ts'

const webhooks = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const image = 'registry.example.com/carabiner:1'

interface Registration {
  readonly webhooks: readonly { readonly clientConfig: { readonly url?: string; readonly service?: object } }[]
}

onCluster('an installation after an operator outside the cluster', (cluster) => {
  const namespace = `carabiner-after-${process.pid}`
  const running: Running[] = []
  const stop = async () => {
    for (const one of running.splice(0)) {
      one.interrupt()
      await one.ended
    }
  }
  afterEach(stop)
  afterAll(async () => {
    await removeGates(cluster)
    for (const kind of ['clusterroles', 'clusterrolebindings'])
      for (const name of ['carabiner:run', `carabiner-${namespace}`])
        await cluster.call('DELETE', `${rbac}/${kind}/${name}`)
    await cluster.call('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  const operate = async () => {
    const args = [
      'run',
      '--install',
      '--gate',
      'webhook',
      '--listen-port',
      '0',
      '--kubeconfig',
      cluster.target.kubeconfig,
    ]
    const operator = start(args)
    running.push(operator)
    await operator.line(/carabiner is ready/)
    return operator
  }
  const install = (kubeconfig = cluster.target.kubeconfig, ...args: string[]) =>
    run([
      'install',
      '--namespace',
      namespace,
      '--gate',
      'webhook',
      '--image',
      image,
      '--kubeconfig',
      kubeconfig,
      ...args,
    ])
  const reached = async () => {
    const { body } = await cluster.call('GET', `${webhooks}/carabiner-gate`)
    return (body as unknown as Registration).webhooks.flatMap(({ clientConfig }) =>
      Object.keys(clientConfig).filter((key) => key !== 'caBundle'),
    )
  }
  const status = async (path: string) => (await cluster.call('GET', path)).status
  const setUnschedulable = async (unschedulable: boolean) => {
    for (const name of ['node-1', 'node-2', 'node-3'])
      await cluster.call('PATCH', `/api/v1/nodes/${name}`, { headers: mergePatch, body: { spec: { unschedulable } } })
  }

  it('is refused while that operator runs, and changes nothing', async () => {
    await operate()
    const { code, stdout, stderr } = await install()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /CRB_OPERATOR_RUNS: \S+ runs rollouts in this cluster \(it renews Lease default\/carabiner\)/,
    )
    expect(await status(`/api/v1/namespaces/${namespace}`)).toBe(404)
    expect(await reached()).toEqual(['url', 'url'])
  })

  it('changes nothing when a part of it is refused', async () => {
    const kubeconfig = await accountWithoutRoles()
    const { code, stdout, stderr } = await install(kubeconfig)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/CRB_API_FORBIDDEN.*clusterroles/)
    expect(await status(`/api/v1/namespaces/${namespace}`)).toBe(404)
  })

  it('says why the pods do not start, and ends with 1', async () => {
    await setUnschedulable(true)
    try {
      const { code, stdout, stderr } = await install(undefined, '--timeout', '5')
      expect(code).toBe(1)
      expect(stdout).not.toContain('ready')
      expect(stderr).toMatch(
        /CRB_INSTALL_NOT_READY.*after 5 s.*0 of 2.*pod carabiner-\S+: Unschedulable: .*nodes? .*unschedulable/,
      )
    } finally {
      await setUnschedulable(false)
    }
  })

  it('takes over the webhook and the rights, and the other way round', async () => {
    const first = await install()
    expect(first.stderr + first.stdout).toMatch(/2 of 2 pods are ready\nNext:/)
    expect(first.code).toBe(0)
    expect(await reached()).toEqual(['service', 'service'])
    expect(await status(`${rbac}/clusterroles/carabiner:run`)).toBe(404)
    const refused = await run(['run', '--install', '--kubeconfig', cluster.target.kubeconfig])
    expect(refused.stderr).toContain('CRB_INSTALLED_ELSEWHERE')
    const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments/carabiner`
    await cluster.call('PATCH', deployment, { headers: mergePatch, body: { spec: { replicas: 0 } } })
    await operate()
    expect(await reached()).toEqual(['url', 'url'])
    await stop()
    expect((await install()).code).toBe(0)
    expect(await reached()).toEqual(['service', 'service'])
  })

  it('waits out the Lease of an operator that was killed', async () => {
    await cluster.call('DELETE', `/api/v1/namespaces/${namespace}`)
    await cluster.untilGone(`/api/v1/namespaces/${namespace}`)
    const operator = await operate()
    running.splice(0)
    operator.kill()
    await operator.ended
    const { code, stderr } = await install()
    expect([code, stderr]).toEqual([0, expect.stringContaining('watching for 15 s whether it is alive')])
  })

  it('deploys no image that does not exist', async () => {
    const { code, stdout, stderr } = await run(['install', '--kubeconfig', cluster.target.kubeconfig])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('CRB_IMAGE_MISSING')
    expect(stderr).toMatch(/npm pack .*\n.*docker build/)
  })

  /** A kubeconfig of a service account that may do everything but write ClusterRoles. */
  async function accountWithoutRoles(): Promise<string> {
    const ns = await cluster.namespace()
    const name = `no-roles-${process.pid}`
    await cluster.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name } })
    const { status } = await cluster.create(`/api/v1/namespaces/${ns}/serviceaccounts/${name}/token`, { spec: {} })
    const all = ['', 'apps', 'policy', 'coordination.k8s.io', 'admissionregistration.k8s.io', 'apiextensions.k8s.io']
    const rules = [
      { apiGroups: all, resources: ['*'], verbs: ['*'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['get', 'list'] },
    ]
    await cluster.create(`${rbac}/clusterroles`, { metadata: { name }, rules })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
    const subjects = [{ kind: 'ServiceAccount', name, namespace: ns }]
    await cluster.create(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects })
    const token = (status as { token: string }).token
    const allowed = { headers: { authorization: `Bearer ${token}` } }
    await pollUntil(
      'the rights of the service account',
      () => cluster.call('GET', '/api/v1/nodes', allowed),
      (answer) => answer.status === 200,
    )
    const config = JSON.parse(readFileSync(cluster.target.kubeconfig, 'utf8')) as { users: { name: string }[] }
    const users = config.users.map((user) => ({ name: user.name, user: { token } }))
    const path = join(cluster.target.home, 'no-roles.kubeconfig')
    writeFileSync(path, JSON.stringify({ ...config, users }))
    return path
  }
})
