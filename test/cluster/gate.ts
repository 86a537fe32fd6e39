/**
 * Installs the gate in the cluster under test: as admission policies where the API server supports them, else as a
 * webhook served by the test. Requests with `asEngine` are treated as those of the engine.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { admissionPolicies } from '../../src/rollouts/gate/admission-policies.ts'
import { validatingPolicies } from '../../src/rollouts/gate/validating-policies.ts'
import { gateWebhook } from '../../src/rollouts/gate/webhook.ts'
import { webhookConfigurations } from '../../src/rollouts/gate/webhook-configuration.ts'
import { optInLabel } from '../../src/rollouts/labels.ts'
import { rolloutPolicyDefinition } from '../../src/rollouts/policy/definition.ts'
import { createAuthority } from '../../src/runtime/real/index.ts'
import { definitions, untilServed } from './definitions.ts'
import { pollUntil } from './poll-until.ts'
import type { Cluster } from './suite.ts'
import { daemonSet, deployment, mergePatch, podTemplate, statefulSet } from './workloads.ts'

const engine = 'suite-engine'
export const asEngine = { 'impersonate-user': engine, 'impersonate-group': 'system:masters' }

const registrations = '/apis/admissionregistration.k8s.io/v1'

export interface InstalledGate {
  readonly kind: 'policies' | 'webhook'
  /** Resolves when the API server has observed it. */
  remove(): Promise<void>
}

/** Creates the RolloutPolicy definition. */
export async function definePolicies(cluster: Cluster): Promise<void> {
  const path = `${definitions}/${rolloutPolicyDefinition.metadata.name}`
  const apply = { headers: { 'content-type': 'application/apply-patch+yaml' }, body: rolloutPolicyDefinition }
  await cluster.call('PATCH', `${path}?fieldManager=suite&force=true`, apply)
  await untilServed(cluster, rolloutPolicyDefinition.metadata.name)
}

/** Whether the API server supports the admission policies of the gate. */
export async function hasAdmissionPolicies(cluster: Cluster): Promise<boolean> {
  return (await registrationTypes(cluster)).includes('mutatingadmissionpolicies')
}

async function registrationTypes(cluster: Cluster): Promise<readonly string[]> {
  const { body } = await cluster.call('GET', registrations)
  return (body as unknown as { resources: { name: string }[] }).resources.map(({ name }) => name)
}

export async function installGate(cluster: Cluster): Promise<InstalledGate> {
  const gate = (await hasAdmissionPolicies(cluster)) ? await installPolicies(cluster) : await installWebhook(cluster)
  await inEffect(cluster)
  const remove = async () => {
    await gate.remove()
    await outOfEffect(cluster)
  }
  return { ...gate, remove }
}

async function installPolicies(cluster: Cluster): Promise<InstalledGate> {
  const paths: string[] = []
  for (const object of [...admissionPolicies(engine), ...validatingPolicies(engine)]) {
    const resource = object.kind.toLowerCase().replace(/policy$/, 'policie')
    const collection = `${registrations}/${resource}s`
    await cluster.create(collection, object)
    paths.push(`${collection}/${object.metadata.name}`)
  }
  const remove = async () => {
    for (const path of paths) await cluster.call('DELETE', path)
  }
  return { kind: 'policies', remove }
}

async function installWebhook(cluster: Cluster): Promise<InstalledGate> {
  const authority = createAuthority('gate test authority')
  const handler = gateWebhook(engine)
  const server = createServer(
    authority.issueServer({ commonName: 'gate', names: ['127.0.0.1'] }),
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => {
        void handler({ method: 'POST', target: request.url ?? '/', headers: {}, body: Buffer.concat(chunks) }).then(
          (answer) => {
            response.writeHead(answer.status, answer.headers)
            response.end(answer.body)
          },
        )
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const paths: string[] = []
  for (const object of webhookConfigurations({ engine, client: { url }, ca: authority.cert })) {
    const collection = `${registrations}/${object.kind.toLowerCase()}s`
    await cluster.create(collection, object)
    paths.push(`${collection}/${object.metadata.name}`)
  }
  const remove = async () => {
    for (const path of paths) await cluster.call('DELETE', path)
    server.close()
  }
  return { kind: 'webhook', remove }
}

/** Removes every gate. Resolves when the API server has observed it. */
export async function removeGates(cluster: Cluster): Promise<void> {
  for (const name of (await registrationTypes(cluster)).filter((one) => !one.includes('/')))
    await cluster.call('DELETE', `${registrations}/${name}?labelSelector=app.kubernetes.io%2Fpart-of%3Dcarabiner`)
  await outOfEffect(cluster)
}

/** The parts of a gate disappear at different times: while only half of it exists, it refuses changes it should hold. */
async function outOfEffect(cluster: Cluster): Promise<void> {
  const ns = await cluster.namespace()
  await pollUntil(
    'the removal of the gate',
    (turn) => {
      const probe = deployment(`probe-${turn}`, 0)
      const body = { ...probe, metadata: { ...probe.metadata, labels: { [optInLabel]: 'probe' } } }
      return cluster.call('POST', `/apis/apps/v1/namespaces/${ns}/deployments`, { body })
    },
    ({ status, body }) => status === 201 && body.metadata.labels?.['carabiner.dev/hold'] === undefined,
  )
  await cluster.call('DELETE', `/api/v1/namespaces/${ns}`)
}

/**
 * API servers observe registrations through watches, each with its own delay. The gate is effective when a change of
 * every kind is held and a forged hold label is refused by validation.
 */
async function inEffect(cluster: Cluster): Promise<void> {
  const ns = await cluster.namespace()
  const kinds = [
    ['deployments', deployment('probe', 0)],
    ['statefulsets', statefulSet('probe', 0)],
    ['daemonsets', daemonSet('probe')],
  ] as const
  const label = (value: string | null) => ({ metadata: { labels: { 'carabiner.dev/hold': value } } })
  for (const [resource, object] of kinds) {
    const collection = `/apis/apps/v1/namespaces/${ns}/${resource}`
    const patch = (name: string, body: object, headers = {}) =>
      cluster.call('PATCH', `${collection}/${name}`, { headers: { ...mergePatch, ...headers }, body })
    await cluster.create(collection, object)
    await pollUntil(
      `the closed gate of ${resource}`,
      (turn) => {
        const template = podTemplate('probe', `example/app:${turn + 2}`)
        return patch('probe', { metadata: { labels: { [optInLabel]: 'probe' } }, spec: { template } })
      },
      ({ body }) => body.metadata.labels?.['carabiner.dev/hold'] !== undefined,
    )
    await cluster.create(collection, { ...object, metadata: { name: 'made-up' } })
    await pollUntil(
      `the second look at ${resource}`,
      async () => {
        await patch('made-up', label(null), asEngine)
        return patch('made-up', label('gate'))
      },
      ({ status }) => status === 403,
    )
  }
  await cluster.call('DELETE', `/api/v1/namespaces/${ns}`)
}
