/** Runs the rollouts surface like the operator, against the cluster under test, as a user that the gate recognizes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { issueCertificate } from '../../src/cli/certificate.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import type { Transport } from '../../src/kube/transport/transport.ts'
import type { GateOptions } from '../../src/rollouts/gate/start.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { asEngine } from './gate.ts'
import type { Target } from './target.ts'

export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
}

const engine: Identity = { user: asEngine['impersonate-user'], groups: [asEngine['impersonate-group']] }

export interface RunningSurface {
  /** Requests refused by the API server because of missing permissions. */
  readonly forbidden: readonly string[]
  /** The metrics of the surface. */
  metrics(): Promise<string>
  stop(): Promise<void>
}

/** A kubeconfig that impersonates a user. */
export function kubeconfigAs({ kubeconfig, home }: Pick<Target, 'kubeconfig' | 'home'>, { user, groups }: Identity) {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as { users: { user: object }[] }
  const users = config.users.map((one) => ({ ...one, user: { ...one.user, as: user, 'as-groups': groups } }))
  const path = join(home, `${user.replaceAll(':', '-')}.kubeconfig`)
  writeFileSync(path, JSON.stringify({ ...config, users }))
  return path
}

export async function startEngineOn(
  { target }: { readonly target: Pick<Target, 'kubeconfig' | 'home'> },
  options: Partial<GateOptions> = {},
  identity: Identity = engine,
): Promise<RunningSurface> {
  const kubeconfig = kubeconfigAs(target, identity)
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const network = networkTransport(await loadConnection(runtime, { kubeconfig }), runtime)
  const forbidden: string[] = []
  const send: Transport['send'] = async (request) => {
    const response = await network.send(request)
    if (response.status === 403) forbidden.push(`${request.method} ${request.target}`)
    return response
  }
  const ending = new AbortController()
  const surface = rolloutsSurface({ install: true, issue: issueCertificate, ...options })
  const client = createClient({ transport: { ...network, send }, runtime })
  const close = async () => {
    await network.close()
    await runtime.close()
  }
  try {
    const running = await surface.start({ client, runtime, signal: ending.signal })
    await running.ready
    const stop = async () => {
      ending.abort()
      await running.stop()
      await close()
    }
    return { forbidden, metrics: () => runtime.metrics.render(), stop }
  } catch (error) {
    ending.abort()
    await close()
    throw error
  }
}
