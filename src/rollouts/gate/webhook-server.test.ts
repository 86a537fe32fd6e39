import { connect, type PeerCertificate } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueCertificate } from '../../cli/certificate.ts'
import { createClient } from '../../kube/client/create.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import { until } from '../../kube/until.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { sleepBy } from '../../runtime/sleep.ts'
import { createSandbox } from '../../sandbox/index.ts'
import { registrations } from './kinds.ts'
import { onThisMachine, serveWebhook } from './webhook-server.ts'

const day = 24 * 3_600_000

type Configuration = KubeObject & {
  readonly webhooks: readonly { readonly clientConfig: { readonly caBundle: string; readonly url: string } }[]
}

/** Time that passes when told to; certificates are judged by the time of the machine, so that it begins in the past. */
class StepClock implements Clock {
  #now: number
  #timers: { readonly at: number; readonly fire: () => void }[] = []

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  after(delay: number, fire: () => void) {
    const timer = { at: this.#now + delay, fire }
    this.#timers.push(timer)
    const cancel = () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
    return { cancel }
  }

  sleep(delay: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((...args) => this.after(...args))(delay, signal)
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds
    const due = this.#timers.filter(({ at }) => at <= this.#now)
    this.#timers = this.#timers.filter(({ at }) => at > this.#now)
    for (const { fire } of due) fire()
  }
}

describe('the webhook over time', () => {
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const clock = new StepClock(Date.now() - 60 * day)
  const sandbox = createSandbox(runtime, { nodes: 0 })
  const client = createClient({ transport: sandbox.transport(), runtime })
  const ending = new AbortController()
  beforeAll(() => sandbox.ready)
  afterAll(async () => {
    ending.abort()
    await sandbox.stop()
    await runtime.close()
  })

  const configured = (holds: (found: Configuration) => boolean) =>
    until(
      client.of<Configuration>(registrations.webhooks),
      runtime,
      { name: 'carabiner-gate', signal: AbortSignal.any([ending.signal]) },
      holds,
    )
  const bundleOf = ({ webhooks }: Configuration) => atob(webhooks[0]?.clientConfig.caBundle ?? '')
  const authoritiesIn = (bundle: string) => bundle.split('BEGIN').length - 1

  it('is believed before, while and after its certificate is replaced, without a restart', async () => {
    const options = { engine: 'engine', issue: issueCertificate, place: onThisMachine }
    const stopping = new AbortController()
    const { ended } = await serveWebhook(client, { ...runtime, clock }, options, stopping.signal)
    const first = await configured(() => true)
    const port = Number(new URL(first.webhooks[0]?.clientConfig.url ?? '').port)
    const served = (ca: string) => fingerprint(port, ca)
    const before = await served(bundleOf(first))

    clock.pass(60 * day)
    const announced = await configured((found) => authoritiesIn(bundleOf(found)) === 2)
    // A client that knows only the first authority still accepts it.
    expect(await served(bundleOf(first))).toBe(before)

    clock.pass(600_000)
    let after = before
    while (after === before) after = await served(bundleOf(announced))
    expect(authoritiesIn(bundleOf(await configured(() => true)))).toBe(2)

    clock.pass(31 * day)
    await configured((found) => authoritiesIn(bundleOf(found)) === 1)
    stopping.abort()
    await ended
  })

  it('is announced once by replicas that share their certificates', async () => {
    const place = { ...onThisMachine, service: { namespace: 'default', name: 'gate', port: 443 } }
    const options = { engine: 'engine', issue: issueCertificate, place }
    const stopping = new AbortController()
    const serve = () => serveWebhook(client, { ...runtime, clock }, options, stopping.signal)
    const replicas = await Promise.all([serve(), serve()])
    const kept = (number: number) =>
      until(
        client.of<KubeObject & { readonly data: Readonly<Record<string, string>> }>(resources.secrets),
        runtime,
        { name: 'carabiner-gate', namespace: 'default', signal: AbortSignal.any([ending.signal]) },
        ({ data }) => JSON.parse(atob(data['certificates.json'] ?? '')).length === number,
      )
    await kept(1)
    clock.pass(60 * day)
    const { data } = await kept(2)
    const known = JSON.parse(atob(data['certificates.json'] ?? '')) as { ca: string }[]
    await configured((found) => bundleOf(found) === known.map(({ ca }) => ca).join(''))
    stopping.abort()
    await Promise.all(replicas.map(({ ended }) => ended))
  })
})

/** Of the certificate that the server shows; rejects when `ca` does not vouch for it. */
function fingerprint(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      resolve((socket.getPeerCertificate() as PeerCertificate).fingerprint256)
      socket.end()
    })
    socket.once('error', reject)
  })
}
