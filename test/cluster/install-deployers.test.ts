/** The output of `carabiner install` for deployers: accepted by the API server, with sufficient permissions. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from '../sandbox/program.ts'
import { createItemNamespace, statusOf } from './deployers.ts'
import { type Identity, kubeconfigAs } from './engine.ts'
import { kubectl, kubectlOk, kubectlPath } from './programs.ts'
import { untilGranted } from './rights.ts'
import { onCluster } from './suite.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))
const providerConfig = (name: string, more: object) => ({
  apiVersion: `${name}.deployer.landscaper.gardener.cloud/v1alpha1`,
  kind: 'ProviderConfiguration',
  ...more,
})
const settings = `deployers:
  - name: manifest
  - name: container
  - name: mock
`

interface Printed {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly { args: string[] }[] } } }
}

onCluster('an installation of deployers', (cluster) => {
  const namespace = `carabiner-deployers-${process.pid}`
  const operator: Identity = {
    user: `system:serviceaccount:${namespace}:carabiner`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }
  let file = ''
  beforeAll(() => {
    file = join(cluster.target.home, 'deployers.yaml')
    writeFileSync(file, settings)
  })

  function printManifests(...args: string[]): Promise<string> {
    const all = [
      program,
      'install',
      '--print',
      '--image',
      'carabiner:1',
      '--namespace',
      namespace,
      '-o',
      'json',
      ...args,
    ]
    return new Promise((resolve, reject) => {
      execFile(process.execPath, all, { timeout: 60_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
      )
    })
  }
  const objectsIn = (json: string) => (JSON.parse(json) as { items: Printed[] }).items
  const argsIn = (objects: readonly Printed[]) =>
    objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers[0]?.args

  it('contains rollouts next to deployers unless they are disabled', async () => {
    const both = objectsIn(await printManifests('--gate', 'policies', '--deployers', 'manifest,helm'))
    expect(argsIn(both)).toEqual(['run', '--rollouts', '--deployers', 'manifest,helm'])
    const names = both.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ metadata }) => metadata.name)
    expect(names).toContain('rolloutpolicies.carabiner.dev')
    expect(names).toContain('deployitems.landscaper.gardener.cloud')
    const alone = objectsIn(await printManifests('--no-rollouts', '--deployers', 'mock'))
    expect(argsIn(alone)).toEqual(['run', '--no-rollouts', '--deployers', 'mock'])
    expect(JSON.stringify(alone)).not.toContain('rolloutpolicies')
    await expect(printManifests('--no-rollouts')).rejects.toThrow('leaves nothing to install')
    await expect(printManifests('--no-rollouts', '--deployers', 'terraform')).rejects.toThrow(
      'flag --deployers: deployers[0].name: Unsupported value: "terraform"',
    )
  })

  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    afterAll(async () => {
      const all = await printManifests('--no-rollouts', '--deployers-config', file)
      // Definitions are kept, because other files of this suite may use them.
      const items = objectsIn(all).filter(({ kind }) => kind !== 'CustomResourceDefinition')
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      await kubectl(cluster.target, ['delete', '--wait=false', '-f', '-'], list)
    })

    it('grants the deployers exactly the permissions they need', async () => {
      const json = await printManifests('--no-rollouts', '--deployers-config', file)
      const objects = objectsIn(json)
      await kubectlOk(cluster.target, ['apply', '-f', '-'], json)
      // Applying it again succeeds too.
      await kubectlOk(cluster.target, ['apply', '-f', '-'], json)
      await untilGranted(cluster, operator.user, objects)
      expect(objects.find(({ kind }) => kind === 'ConfigMap')?.data).toEqual({ 'deployers.yaml': settings })
      const args = argsIn(objects) ?? []
      expect(args).toEqual(['run', '--no-rollouts', '--deployers-config', '/etc/carabiner/deployers.yaml'])

      const own = [
        ...args.map((arg) => (arg.startsWith('/etc/carabiner/') ? file : arg)),
        ...['--kubeconfig', kubeconfigAs(cluster.target, operator), '--lease-namespace', namespace],
        ...['--listen-port', '0'],
      ]
      const running = start(own)
      try {
        await running.line(/carabiner is ready.*surfaces deployers/)
        await work()
      } finally {
        running.interrupt()
      }
      const { stdout, stderr } = await running.ended
      expect(`${stdout}${stderr}`).not.toMatch(/forbidden/i)
      const mayNot = ['list secrets', 'create deployments', 'list configmaps', 'create clusterroles', 'delete targets']
      for (const [verb = '', resource = ''] of mayNot.map((attempt) => attempt.split(' '))) {
        const { stdout: answer } = await kubectl(cluster.target, [
          ...['auth', 'can-i', verb, resource, '-A', `--as=${operator.user}`],
        ])
        expect([verb, resource, answer.trim()]).toEqual([verb, resource, 'no'])
      }
    }, 300_000)
  })

  /** An item of every deployer with permissions of its own, from creation to deletion, and an execution. */
  async function work(): Promise<void> {
    const { ns, create, finished, remove } = await createItemNamespace(cluster)
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: ns }, data: { a: '1' } }
    const fromResource = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: ns }
    const exports = { exports: [{ key: 'a', jsonPath: '.data.a', fromResource }] }
    await create('manifest', 'kubernetes-manifest', providerConfig('manifest', { manifests: [map], exports }))
    await create('container', 'container', providerConfig('container', { image: 'example/tool:1' }))
    await create('mock', 'mock', providerConfig('mock', { export: { b: 2 } }))
    await create('broken', 'mock', providerConfig('mock', { phase: 'Failed' }))
    const executions = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/executions`
    await cluster.create(executions, {
      apiVersion: 'landscaper.gardener.cloud/v1alpha1',
      kind: 'Execution',
      metadata: { name: 'all' },
      spec: {
        deployItems: [
          { name: 'one', type: 'landscaper.gardener.cloud/mock', config: providerConfig('mock', { export: { c: 3 } }) },
        ],
      },
    })
    const phases = await Promise.all(
      ['manifest', 'container', 'mock', 'broken'].map(async (name) => statusOf(await finished(name)).phase),
    )
    expect(phases).toEqual(['Succeeded', 'Succeeded', 'Succeeded', 'Failed'])
    await cluster.until(`${executions}/all`, (found) => statusOf(found).phase === 'Succeeded')
    await cluster.call('DELETE', `${executions}/all`)
    await cluster.untilGone(`${executions}/all`)
    await Promise.all(['manifest', 'container', 'mock'].map((name) => remove(name)))
  }
})
