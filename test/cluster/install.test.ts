/** The output of `carabiner install`: accepted by the API server, with sufficient permissions for the engine. */
import { execFile } from 'node:child_process'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueCertificate } from '../../src/cli/certificate.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import type { GateKind } from '../../src/rollouts/gate/kinds.ts'
import { webhookConfigurations } from '../../src/rollouts/gate/webhook-configuration.ts'
import { serveWebhook } from '../../src/rollouts/gate/webhook-server.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { freePort } from '../control-plane/programs.ts'
import { type Identity, kubeconfigAs, startEngineOn } from './engine.ts'
import { hasAdmissionPolicies, removeGates } from './gate.ts'
import { pollUntil } from './poll-until.ts'
import { kubectl, kubectlOk, kubectlPath } from './programs.ts'
import { untilGranted } from './rights.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import {
  conditionOf,
  count,
  daemonSet,
  deployment,
  isRolledOut,
  job,
  mergePatch,
  podsByImage,
  podTemplate,
  statefulSet,
} from './workloads.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))
const image = 'registry.example.com/carabiner:1'
const registrations = '/apis/admissionregistration.k8s.io/v1'
const webhooks = `${registrations}/mutatingwebhookconfigurations`
const rolloutOf = ({ status }: Thing) => (status as { rollout?: { phase: string; endedAt?: string } }).rollout

onCluster('an installation', (cluster) => {
  const namespace = `carabiner-${process.pid}`
  const operator: Identity = {
    user: `system:serviceaccount:${namespace}:carabiner`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }

  function carabiner(...args: string[]): Promise<string> {
    const { kubeconfig, home } = cluster.target
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig }
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [program, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
      )
    })
  }
  const printManifests = (gate: GateKind, ...args: string[]) =>
    carabiner('install', '--print', '--image', image, '--namespace', namespace, '--gate', gate, ...args)

  const objectsIn = (json: string) => (JSON.parse(json) as { items: Thing[] }).items

  /** Applies the printed objects; resolves when their permissions are effective. */
  const applied = async (gate: GateKind) => {
    const json = await printManifests(gate, '-o', 'json')
    await kubectlOk(cluster.target, ['apply', '-f', '-'], json)
    await untilGranted(cluster, operator.user, objectsIn(json))
  }

  /** The doctor's finding for a working gate; API servers observe a new gate with a delay. */
  const doctor = () =>
    pollUntil(
      'a working gate',
      async () => {
        const output = await carabiner('doctor', '-o', 'json').catch(String)
        const found = JSON.parse(output.slice(output.indexOf('['))) as { name: string; state: string }[]
        return found.find(({ name }) => name === 'gate')
      },
      (found) => found?.state === 'works',
    )
  let gates: GateKind[] = []
  beforeAll(async () => {
    gates = (await hasAdmissionPolicies(cluster)) ? ['policies', 'webhook'] : ['webhook']
    await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  })
  afterAll(async () => {
    for (const gate of gates) {
      // The definition is kept, because the next file would find it terminating.
      const items = objectsIn(await printManifests(gate, '-o', 'json')).filter(
        ({ kind }) => kind !== 'CustomResourceDefinition',
      )
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      await kubectl(cluster.target, ['delete', '--wait=false', '-f', '-'], list)
    }
  })

  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    it('is accepted as printed', async () => {
      for (const gate of [...gates, 'at-rest'] as const) {
        const yaml = await printManifests(gate)
        await kubectlOk(cluster.target, ['apply', '--dry-run=server', '-f', '-'], yaml)
        const json = await printManifests(gate, '-o', 'json')
        await kubectlOk(cluster.target, ['apply', '--dry-run=server', '--validate=false', '-f', '-'], json)
        await kubectlOk(cluster.target, ['apply', '-f', '-'], yaml)
        // Applying it again succeeds too.
        await kubectlOk(cluster.target, ['apply', '-f', '-'], yaml)
      }
    }, 300_000)

    it('is applied to the cluster and changes nothing the second time', async () => {
      const args = ['install', '--image', image, '--namespace', namespace, '--replicas', '3']
      const output = await carabiner(...args)
      expect(output).toContain('deployment/carabiner applied')
      expect(output).toContain('3 of 3 pods are ready')
      // The first test installed every gate; only one is kept.
      expect(output).toContain(gates.includes('policies') ? 'mutatingwebhookconfiguration/carabiner-gate removed' : '')
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/carabiner`
      const { metadata, spec } = (await cluster.call('GET', path)).body
      expect(spec['replicas']).toBe(3)
      // The namespace enforces the restricted pod security standard.
      await cluster.until(path, (found) => count(found, 'readyReplicas') === 3)
      await carabiner(...args)
      expect((await cluster.call('GET', path)).body.metadata.generation).toBe(metadata.generation)
    })

    describe.each(['policies', 'webhook'] as const)('with %s', (gate) => {
      it('grants the engine exactly the permissions it needs', async (context) => {
        if (!gates.includes(gate)) context.skip('the API server has no admission policies')
        await removeGates(cluster)
        await applied(gate)
        if (gate === 'webhook') {
          // No Service of the cluster routes to this process.
          await removeGates(cluster)
          const client = { url: 'https://127.0.0.1:1/' }
          for (const object of webhookConfigurations({ engine: operator.user, client }))
            await cluster.create(`${registrations}/${object.kind.toLowerCase()}s`, object)
        }
        const engine = await startEngineOn(cluster, { install: false, use: gate }, operator)
        try {
          expect(await doctor()).toMatchObject({ state: 'works', detail: expect.stringContaining(operator.user) })
          await rollAll()
          expect(engine.forbidden).toEqual([])
        } finally {
          await engine.stop()
          await removeGates(cluster)
        }
        const mayNot = ['list secrets', 'delete deployments', 'create clusterroles', 'delete rolloutpolicies']
        for (const [verb = '', resource = ''] of mayNot.map((attempt) => attempt.split(' '))) {
          const { stdout } = await kubectl(cluster.target, [
            'auth',
            'can-i',
            verb,
            resource,
            '-A',
            `--as=${operator.user}`,
          ])
          expect([verb, resource, stdout.trim()]).toEqual([verb, resource, 'no'])
        }
      }, 300_000)
    })

    it('lets replicas share the certificate of the webhook behind a Service', async () => {
      await applied('webhook')
      const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
      const connection = await loadConnection(runtime, { kubeconfig: kubeconfigAs(cluster.target, operator) })
      const transport = networkTransport(connection, runtime)
      const ending = new AbortController()
      const ports: number[] = []
      const http = {
        ...runtime.http,
        listen: async (...args: Parameters<typeof runtime.http.listen>) => {
          const listener = await runtime.http.listen(...args)
          ports.push(listener.port)
          return listener
        },
      }
      try {
        const service = { namespace, name: 'carabiner', port: 443 }
        const place = { listen: { host: '127.0.0.1', port: 0 }, service }
        const options = { engine: operator.user, issue: issueCertificate, place }
        const client = createClient({ transport, runtime })
        const replicas = [1, 2].map(() => serveWebhook(client, { ...runtime, http }, options, ending.signal))
        const served = await Promise.all(replicas)
        const { body } = await cluster.call('GET', `${webhooks}/carabiner-gate`)
        const [first] = (body as unknown as { webhooks: { clientConfig: { caBundle: string } }[] }).webhooks
        const ca = Buffer.from(first?.clientConfig.caBundle ?? '', 'base64').toString()
        for (const port of ports) await verifiesCertificate(port, `carabiner.${namespace}.svc`, ca)
        ending.abort()
        await Promise.all(served.map(({ ended }) => ended))
      } finally {
        ending.abort()
        await removeGates(cluster)
        await transport.close()
        await runtime.close()
      }
    })

    it('is reached through a Service', async (context) => {
      if (!cluster.target.isReal) context.skip('the sandbox has no network of Services')
      await applied('webhook')
      // Replaces the network of the cluster: the Service name resolves to this machine.
      const outside = { metadata: { name: 'outside' }, spec: { type: 'ExternalName', externalName: 'localhost' } }
      await cluster.create(`/api/v1/namespaces/${namespace}/services`, outside)
      const port = await freePort()
      const service = { namespace, name: 'outside', port }
      const place = { listen: { host: '127.0.0.1', port }, service }
      const engine = await startEngineOn(cluster, { install: false, use: 'webhook', webhook: place }, operator)
      try {
        expect(await doctor()).toMatchObject({ state: 'works', detail: expect.stringContaining('arrives held') })
      } finally {
        await engine.stop()
        await removeGates(cluster)
      }
    }, 180_000)
  })

  /** A rollout of each kind with every hook action that creates objects, and a failing one. */
  async function rollAll(): Promise<void> {
    const ns = await cluster.namespace()
    const available = (found: Thing) => count(found, 'numberAvailable') || count(found, 'readyReplicas')
    const kinds = [
      ['Deployment', 'deployments', deployment('deployment', 2), isRolledOut],
      ['StatefulSet', 'statefulsets', statefulSet('statefulset', 2), (found: Thing) => available(found) === 2],
      ['DaemonSet', 'daemonsets', daemonSet('daemonset'), (found: Thing) => available(found) > 0],
      ['Deployment', 'deployments', deployment('failing', 1), isRolledOut],
    ] as const
    await Promise.all(
      kinds.map(async ([kind, resource, object, isUp]) => {
        const { name } = object.metadata
        const workload = `/apis/apps/v1/namespaces/${ns}/${resource}/${name}`
        await cluster.create(workload.slice(0, workload.lastIndexOf('/')), object)
        await cluster.until(workload, isUp)
        const policies = `/apis/carabiner.dev/v1alpha1/namespaces/${ns}/rolloutpolicies`
        const settings = name === 'failing' ? { 'exit-code': '1' } : {}
        const hook = { backoffLimit: 0, ...job('hook', {}, { 'run-for': '100ms', ...settings }).spec }
        const trigger = { progressAvailableParams: { progressPoint: 1 } }
        await cluster.create(policies, {
          apiVersion: 'carabiner.dev/v1alpha1',
          kind: 'RolloutPolicy',
          metadata: { name },
          spec: {
            targetRef: { apiVersion: 'apps/v1', kind, name },
            lifecycle: { pre: { failurePolicy: 'Abort', jobSpec: hook } },
            lifecycleHooks: [{ name: 'first', trigger, execNewPod: { containerName: 'main', command: ['true'] } }],
          },
        })
        const policy = `${policies}/${name}`
        await cluster.until(policy, (found) => conditionOf(found, 'Ready')?.status === 'True')
        const template = podTemplate(name, 'example/app:2')
        const body = { spec: { template } }
        expect((await cluster.call('PATCH', workload, { headers: mergePatch, body })).status).toBe(200)
        const over = await cluster.until(policy, (found) => rolloutOf(found)?.endedAt !== undefined)
        expect([name, rolloutOf(over)?.phase]).toEqual([name, name === 'failing' ? 'Aborted' : 'Complete'])
        if (name === 'failing') expect(await podsByImage(cluster, ns, name)).toEqual({ 'example/app:1': 1 })
        expect((await cluster.call('DELETE', policy)).status).toBe(200)
        await cluster.untilGone(policy)
      }),
    )
  }
})

/** Checks that the certificate is valid for the name with the CA. */
function verifiesCertificate(port: number, servername: string, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, ca }, () => {
      socket.end()
      resolve()
    })
    socket.once('error', reject)
  })
}
