/**
 * Serves the gate's webhook. Replicas that share their certificates need not agree on anything else: they read the same turns from them.
 */
import {
  applyWebhooks,
  type IssueCertificate,
  inMemory,
  inSecret,
  issuedCredentials,
  type KubeClient,
  type ReachedBy,
  type RunningServer,
  serveWebhooks,
  serviceNames,
  urlOf,
} from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { registrations } from './kinds.ts'
import { gateWebhook } from './webhook.ts'
import { webhookConfigurations } from './webhook-configuration.ts'

/** Where the webhook listens and how the API server gets there. */
export interface WebhookPlace {
  readonly listen: { readonly host: string; readonly port: number }
  /** The Service in front of all replicas; without it the API server is told the address of this process. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number }
  /** The name or address under which this process is reached, without a Service. @default listen.host */
  readonly host?: string
}

export const onThisMachine: WebhookPlace = { listen: { host: '127.0.0.1', port: 0 } }

/** The Secret with the certificates that replicas share. */
export const certificateSecret = 'carabiner-gate'

export interface ServeOptions {
  /** User name of the engine. */
  readonly engine: string
  readonly issue: IssueCertificate
  readonly place: WebhookPlace
  /** Writes the registrations. @default the client of the engine */
  readonly registrar?: KubeClient
}

export async function serveWebhook(
  client: KubeClient,
  runtime: Runtime,
  { engine, issue, place, registrar = client }: ServeOptions,
  signal: AbortSignal,
): Promise<RunningServer> {
  const { service, listen } = place
  const host = place.host ?? listen.host
  const store = service === undefined ? inMemory() : inSecret(client, { ...service, name: certificateSecret })
  const names = service === undefined ? [host] : serviceNames(service)
  const ends = runtime.metrics.gauge({
    name: 'carabiner_gate_certificate_end_seconds',
    help: 'When the certificate that the webhook of the gate serves ends, in seconds since 1970.',
  })
  return serveWebhooks(
    runtime,
    {
      listen,
      title: 'the webhook of the gate',
      source: issuedCredentials(runtime.clock, { store, names, issue }),
      handler: gateWebhook(engine),
      async register(ca, port) {
        const reached: ReachedBy = service === undefined ? { url: urlOf(host, port) } : { service }
        const [changing, validating] = webhookConfigurations({ engine, client: reached, ca })
        await applyWebhooks(registrar.of(registrations.webhooks), changing, { fieldManager: 'carabiner' })
        await applyWebhooks(registrar.of(registrations.validatingWebhooks), validating, { fieldManager: 'carabiner' })
      },
      served: (until) => ends.set(until / 1000),
    },
    signal,
  )
}
