/**
 * Puts the gate in place for an engine that is about to start. Admission policies outlive us and are written only when asked for; a
 * webhook has the address and the certificate of this very process, and so is registered by whoever serves it.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { TlsServerOptions } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { admissionPolicies } from './admission-policies.ts'
import { detectGate, userNameOf } from './detect.ts'
import { gateWebhook } from './webhook.ts'
import { webhookConfiguration } from './webhook-configuration.ts'

export interface GateOptions {
  /** Whether admission policies are written. */
  readonly install: boolean
  /** The webhook's certificate and who vouches for it; PEM text. */
  readonly certificate: TlsServerOptions & { readonly ca: string }
}

/** Ends with what to call when the gate is not to be served any more. */
export async function startGate(
  client: KubeClient,
  runtime: Runtime,
  { install, certificate: { ca, ...tls } }: GateOptions,
): Promise<() => Promise<void>> {
  const engine = await userNameOf(client)
  if ((await detectGate(client)) === 'policies') {
    if (install) for (const object of admissionPolicies(engine)) await apply(client, object)
    return async () => {}
  }
  const host = '127.0.0.1'
  const listener = await runtime.http.listen({ host, port: 0, tls }, gateWebhook(engine))
  try {
    await apply(client, webhookConfiguration({ engine, client: { url: `https://${host}:${listener.port}/` }, ca }))
  } catch (error) {
    await listener.close()
    throw error
  }
  return () => listener.close()
}

async function apply(client: KubeClient, object: KubeObject): Promise<void> {
  const handle = await client.find(object.apiVersion, object.kind)
  await handle.apply(object, { fieldManager: 'carabiner-install', force: true })
}
