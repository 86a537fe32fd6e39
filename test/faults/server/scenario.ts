/**
 * One fault from beginning to end: a server with some objects, a reflector on a real socket with a clock that only the test moves, the
 * fault, and the account of what was lost or doubled.
 */
import { createClient } from '../../../src/kube/client/create.ts'
import type { Cache } from '../../../src/kube/reflector/cache.ts'
import { createReflector } from '../../../src/kube/reflector/reflector.ts'
import type { Transport } from '../../../src/kube/transport/transport.ts'
import { resources } from '../../../src/kube/types.ts'
import { createRealRuntime } from '../../../src/runtime/real/index.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { ManualClock } from './clock.ts'
import { type Kept, Ledger } from './ledger.ts'
import { type Certificate, FaultServer } from './server.ts'
import { Storage } from './storage.ts'

export interface Scene {
  readonly server: FaultServer
  readonly storage: Storage
  readonly clock: ManualClock
  readonly ledger: Ledger
  readonly cache: Cache<Kept>
  /** Waits for the network until `condition` holds; back-offs are skipped, silence is not. */
  until(what: string, condition: () => boolean): Promise<void>
  /** Waits until the cache is what the server's storage is. */
  equal(): Promise<void>
  /** Waits until so many watches have been opened and one is open. */
  watching(times: number): Promise<void>
}

export interface Row {
  readonly fault: string
  readonly lists: number
  /** Lists of one object, asked to learn the server's newest version. */
  readonly probes: number
  readonly watches: number
  readonly sent: number
  readonly lost: number
  readonly doubled: number
}

export interface SceneOptions {
  readonly objects?: number
  readonly certificate?: Certificate
  readonly connect: (server: FaultServer, runtime: Runtime) => Promise<Transport>
}

export const rows: Row[] = []

/** No back-off and no Retry-After of these tests is longer; the watchdog is. */
const longestWait = 60_000

export async function play(fault: string, options: SceneOptions, act: (scene: Scene) => Promise<void>): Promise<Row> {
  const storage = new Storage()
  for (let index = 0; index < (options.objects ?? 3); index++) storage.put(`first-${index}`)
  const server = new FaultServer(storage, options.certificate)
  await server.start()
  const clock = new ManualClock()
  const real = createRealRuntime({ log: { write: () => {} } })
  const runtime: Runtime = { ...real, clock }
  const transport = await options.connect(server, runtime)
  const client = createClient({ transport, runtime })
  const reflector = createReflector<Kept>(client.of(resources.configMaps), runtime, {
    project: ({ metadata }) => ({ version: metadata.resourceVersion ?? '' }),
  })
  const ledger = new Ledger()
  ledger.follow(storage)
  reflector.cache.subscribe(ledger.hear)
  const stop = new AbortController()
  const running = reflector.run(stop.signal)
  const scene = sceneOf(server, storage, clock, ledger, reflector.cache)
  try {
    await act(scene)
    await scene.equal()
  } finally {
    stop.abort()
    await running
    await transport.close()
    await real.close()
    await server.stop()
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

function sceneOf(server: FaultServer, storage: Storage, clock: ManualClock, ledger: Ledger, cache: Cache<Kept>): Scene {
  const until = async (what: string, condition: () => boolean) => {
    const deadline = performance.now() + 15_000
    while (!condition()) {
      if (performance.now() > deadline)
        throw new Error(`still waiting: ${what}; asked: ${JSON.stringify(server.asked)}`)
      await networkTurn()
      if (!condition()) clock.fireNext(longestWait)
    }
  }
  return {
    server,
    storage,
    clock,
    ledger,
    cache,
    until,
    equal: () => until('cache = server', () => isEqual(cache, server.storage)),
    watching: (times) => until(`watch ${times}`, () => server.count('watch') >= times && server.streams.size > 0),
  }
}

/** Long enough for loopback to deliver what was sent. */
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
