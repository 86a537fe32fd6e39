/**
 * Serves the gate's webhook and keeps it believed: certificates are made, announced and replaced before they end, without a restart. Replicas
 * that share their certificates need not agree on anything else: they read the same turns from them.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import type { HttpListener } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { authorities, type IssueCertificate, nextTurn, renewed, serving } from './certificate.ts'
import { inSecret, inThisProcess } from './certificate-store.ts'
import { registrations } from './kinds.ts'
import { gateWebhook } from './webhook.ts'
import { type WebhookClient, webhookConfigurations } from './webhook-configuration.ts'

/** Where the webhook listens and how the API server gets there. */
export interface WebhookPlace {
  readonly listen: { readonly host: string; readonly port: number }
  /** The Service in front of all replicas; without it the API server is told the address of this process. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number }
  /** The name or address under which this process is reached, without a Service. @default listen.host */
  readonly host?: string
}

export const onThisMachine: WebhookPlace = { listen: { host: '127.0.0.1', port: 0 } }

export interface WebhookServer {
  /** Registers again, for example because somebody has removed the registration. */
  register(): Promise<void>
  readonly ended: Promise<void>
}

const retryPause = 10_000

export async function serveWebhook(
  client: KubeClient,
  runtime: Runtime,
  { engine, issue, place }: { engine: string; issue: IssueCertificate; place: WebhookPlace },
  signal: AbortSignal,
): Promise<WebhookServer> {
  const { service, listen } = place
  const { clock, log } = runtime
  const store = service === undefined ? inThisProcess() : inSecret(client, service.namespace)
  const names = service === undefined ? [place.host ?? listen.host] : serviceNames(service)
  const current = () => store.update((known) => renewed(known, clock.now(), names, issue))
  const ends = runtime.metrics.gauge({
    name: 'carabiner_gate_certificate_end_seconds',
    help: 'When the certificate that the webhook of the gate serves ends, in seconds since 1970.',
  })

  const first = serving(await current(), clock.now())
  if (first === undefined) throw new Error('a certificate that was just made cannot be served')
  const listener: HttpListener = await runtime.http.listen({ ...listen, tls: first }, gateWebhook(engine))

  async function register(known: Awaited<ReturnType<typeof current>>): Promise<void> {
    const url = `https://${bracketed(place.host ?? listen.host)}:${listener.port}/`
    const reached: WebhookClient = service === undefined ? { url } : { service }
    const wanted = { engine, client: reached, ca: authorities(known, clock.now()) }
    const [changing, validating] = webhookConfigurations(wanted)
    const manner = { fieldManager: 'carabiner', force: true }
    await client.of(registrations.webhooks).apply(changing, manner)
    await client.of(registrations.validatingWebhooks).apply(validating, manner)
  }

  /** One turn; says when the next one is. */
  async function turn(): Promise<number> {
    const known = await current()
    // Whom to believe is said before anybody has to.
    await register(known)
    const now = clock.now()
    const served = serving(known, now)
    if (served !== undefined) {
      listener.reload(served)
      ends.set(served.until / 1000)
    }
    return nextTurn(known, now) - now
  }

  async function keep(pause: number): Promise<void> {
    try {
      for (let next = pause; ; ) {
        await clock.sleep(next, signal)
        next = await turn().catch((error: unknown) => {
          log.error('the webhook of the gate is not registered; trying again', { error })
          return retryPause
        })
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await listener.close()
    }
  }

  try {
    const pause = await turn()
    return { register: async () => register(await current()), ended: keep(pause) }
  } catch (error) {
    await listener.close()
    throw error
  }
}

function serviceNames({ name, namespace }: { readonly name: string; readonly namespace: string }): readonly string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
