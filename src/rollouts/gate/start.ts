/**
 * Puts the gate in place for an engine that is about to start. Admission policies outlive us and are written only when asked for; a
 * webhook has the certificate of the process that serves it, and so is registered by it.
 */
import type { IssueCertificate, KubeClient, KubeObject } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { admissionPolicies } from './admission-policies.ts'
import { bestGate, type GateKind, gateKinds, registrations, userNameOf } from './kinds.ts'
import { followGate } from './presence.ts'
import { untilInForce } from './probe.ts'
import { removeOtherGates } from './prune.ts'
import { validatingPolicies } from './validating-policies.ts'
import { webhookConfigurations } from './webhook-configuration.ts'
import { onThisMachine, serveWebhook, type WebhookPlace } from './webhook-server.ts'

export interface GateOptions {
  /** Whether admission policies are written. */
  readonly install: boolean
  /** Writes what is installed. @default the client of the engine */
  readonly installer?: KubeClient | undefined
  /** @default the best one there is */
  readonly use?: GateKind
  /** Makes the certificates of the webhook. */
  readonly issue: IssueCertificate
  /** @default on this machine, which the API server must be on too */
  readonly webhook?: WebhookPlace
}

export interface Gate {
  readonly kind: GateKind
  /** What is wrong with it; undefined when it holds. */
  problem(): string | undefined
  /** Called when the answer may have changed. */
  subscribe(listener: () => void): void
  stop(): Promise<void>
}

export async function startGate(client: KubeClient, runtime: Runtime, options: GateOptions): Promise<Gate> {
  const kind = options.use ?? (await bestGate(options.installer ?? client))
  const ending = new AbortController()
  try {
    const { ended, ...gate } = await started[kind](client, runtime, options, ending.signal)
    tellWhich(runtime, kind, gate)
    const stop = async () => {
      ending.abort()
      await ended
    }
    return { kind, ...gate, stop }
  } catch (error) {
    ending.abort()
    throw error
  }
}

type Started = Omit<Gate, 'kind' | 'stop'> & { readonly ended: Promise<void> }
type Start = (client: KubeClient, runtime: Runtime, options: GateOptions, signal: AbortSignal) => Promise<Started>

const started: Readonly<Record<GateKind, Start>> = {
  async policies(client, runtime, { install, installer = client }, signal) {
    const engine = await userNameOf(client)
    const objects = admissionPolicies(engine)
    if (install) {
      const all = [...objects, ...validatingPolicies(engine)]
      for (const object of all) await apply(installer, object)
      runtime.log.info('admission policies applied', { names: policyNames(all) })
      await removeOtherGates(installer, runtime, all, signal)
      if (installer !== client) await untilInForce(installer, runtime.clock, signal)
    }
    const wanted = objects.map((object) => ({
      type: object.kind === 'MutatingAdmissionPolicy' ? registrations.policies : registrations.bindings,
      object,
    }))
    return followGate(client, runtime, wanted, signal)
  },

  async webhook(client, runtime, { install, installer = client, issue, webhook: place = onThisMachine }, signal) {
    const engine = await userNameOf(client)
    const server = await serveWebhook(client, runtime, { engine, issue, place, registrar: installer }, signal)
    const [changing, validating] = webhookConfigurations({ engine, client: { url: 'https://unknown/' } })
    const wanted = [
      { type: registrations.webhooks, object: changing },
      { type: registrations.validatingWebhooks, object: validating },
    ]
    if (install) await removeOtherGates(installer, runtime, [changing, validating], signal)
    const presence = await followGate(client, runtime, wanted, signal)
    if (install && installer !== client)
      await untilInForce(installer, runtime.clock, signal).catch(async (error: unknown) => {
        // A webhook that the API server cannot reach would refuse changes.
        await removeOtherGates(installer, runtime, [], signal)
        throw error
      })
    const repair = () => {
      if (presence.problem() === undefined || signal.aborted) return
      server.register().catch((error: unknown) => runtime.log.error('the gate cannot be registered again', { error }))
    }
    presence.subscribe(repair)
    return { ...presence, ended: Promise.all([presence.ended, server.ended]).then(() => undefined) }
  },

  async 'at-rest'(client, runtime, { install, installer = client }, signal) {
    if (install) await removeOtherGates(installer, runtime, [], signal)
    return { problem: () => undefined, subscribe: () => undefined, ended: Promise.resolve() }
  },
}

function policyNames(objects: readonly KubeObject[]): readonly string[] {
  return objects.filter(({ kind }) => kind.endsWith('Policy')).map(({ metadata }) => metadata.name)
}

/** Reports at once that the gate was removed, and again that it is back. */
function tellWhich(runtime: Runtime, kind: GateKind, gate: Pick<Gate, 'problem' | 'subscribe'>): void {
  const gauge = runtime.metrics.gauge({
    name: 'carabiner_rollouts_gate',
    help: 'Which gate holds rollouts: 1 for the one in use, 0 while it is missing.',
    labels: ['gate'],
  })
  for (const other of gateKinds) gauge.set(0, { gate: other })
  let reported: string | undefined | null = null
  const tell = () => {
    const problem = gate.problem()
    if (problem === reported) return
    reported = problem
    gauge.set(problem === undefined ? 1 : 0, { gate: kind })
    if (problem === undefined) runtime.log.info('gate', { gate: kind })
    else runtime.log.warn('the gate holds nothing back: run carabiner install', { gate: kind, problem })
  }
  tell()
  gate.subscribe(tell)
}

async function apply(client: KubeClient, object: KubeObject): Promise<void> {
  const handle = await client.find(object.apiVersion, object.kind)
  await handle.apply(object, { fieldManager: 'carabiner-install', force: true })
}
