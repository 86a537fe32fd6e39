/**
 * One fault test: a server with some objects, a reflector on a real socket with a manual clock, the fault, and the number of lost or
 * doubled changes.
 */
import { createClient } from '../../../src/kube/client/create.ts'
import { loadConnection } from '../../../src/kube/config/load.ts'
import { resources } from '../../../src/kube/kinds/index.ts'
import { networkTransport } from '../../../src/kube/network/index.ts'
import type { Cache } from '../../../src/kube/reflector/cache.ts'
import { createReflector } from '../../../src/kube/reflector/reflector.ts'
import { createRealRuntime } from '../../../src/runtime/real/index.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { type Access, createAccess } from './access.ts'
import { ManualClock } from './clock.ts'
import { type Kept, Ledger } from './ledger.ts'
import { FaultServer } from './server.ts'
import { Storage } from './storage.ts'

export interface Scene {
  readonly server: FaultServer
  readonly storage: Storage
  readonly access: Access
  readonly clock: ManualClock
  readonly ledger: Ledger
  readonly cache: Cache<Kept>
  /** Waits for the network until `condition` holds; skips back-off delays, but not the watchdog's. */
  readonly until: (what: string, condition: () => boolean) => Promise<void>
  /** Waits until the cache equals the server's storage. */
  readonly equal: () => Promise<void>
  /** Waits until `times` watches have been opened and one is open. */
  readonly watching: (times: number) => Promise<void>
}

export interface Row {
  readonly fault: string
  readonly lists: number
  /** Lists with limit 1, which read the newest version of the server. */
  readonly probes: number
  readonly watches: number
  readonly sent: number
  readonly lost: number
  readonly doubled: number
}

export interface SceneOptions {
  readonly http2: boolean
  /** @default 3 */
  readonly objects?: number
}

export const rows: Row[] = []

/** Longer than any back-off and Retry-After in these tests, and shorter than the watchdog. */
const maxBackoffMs = 60_000

export async function play(fault: string, options: SceneOptions, act: (scene: Scene) => Promise<void>): Promise<Row> {
  const storage = new Storage()
  for (let index = 0; index < (options.objects ?? 3); index++) storage.put(`first-${index}`)
  const access = createAccess()
  const server = new FaultServer(storage, { certificate: access.certificate(), http2: options.http2 })
  server.token = access.token
  await server.start()
  const clock = new ManualClock()
  const real = createRealRuntime({ log: { write: () => {} } })
  const runtime: Runtime = { ...real, clock }
  const transport = networkTransport(await loadConnection(runtime, { kubeconfig: access.kubeconfig(server) }), runtime)
  const client = createClient({ transport, runtime })
  const reflector = createReflector(client.of(resources.configMaps), runtime, {
    project: ({ metadata }): Kept => ({ version: metadata.resourceVersion ?? '' }),
  })
  const ledger = new Ledger()
  ledger.follow(storage)
  reflector.cache.subscribe(ledger.report)
  const stop = new AbortController()
  const running = reflector.run(stop.signal)
  const scene = sceneOf({ server, storage, access, clock, ledger, cache: reflector.cache })
  try {
    await act(scene)
    await scene.equal()
  } finally {
    stop.abort()
    await running
    await transport.close()
    await real.close()
    await server.stop()
    access.remove()
  }
  const row = {
    fault,
    lists: server.count('list'),
    probes: server.count('probe'),
    watches: server.count('watch'),
    sent: ledger.sent,
    lost: ledger.lost,
    doubled: ledger.doubled,
  }
  rows.push(row)
  return row
}

function sceneOf(parts: Omit<Scene, 'until' | 'equal' | 'watching'>): Scene {
  const { server, clock, cache } = parts
  const until = async (what: string, condition: () => boolean) => {
    const deadline = performance.now() + 20_000
    while (!condition()) {
      if (performance.now() > deadline)
        throw new Error(`still waiting: ${what}; requests: ${JSON.stringify(server.requests)}`)
      await networkTurn()
      if (!condition()) clock.fireNext(maxBackoffMs)
    }
  }
  return {
    ...parts,
    until,
    equal: () => until('cache = server', () => isEqual(cache, server.storage)),
    watching: (times) => until(`watch ${times}`, () => server.count('watch') >= times && server.streams.size > 0),
  }
}

/** Long enough for loopback to deliver sent data. */
function networkTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 2)
  })
}

function isEqual(cache: Cache<Kept>, storage: Storage): boolean {
  if (cache.size !== storage.objects.size) return false
  for (const [name, { metadata }] of storage.objects) {
    if (cache.get(`faults/${name}`)?.version !== metadata.resourceVersion) return false
  }
  return true
}
