/**
 * The reflector with random faults in virtual time: half an hour of changes on a server whose connections break, hang and are refused. In
 * the end the cache equals the server, and nothing was lost or reported twice.
 */
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { createReflector } from '../../src/kube/reflector/reflector.ts'
import { handlerTransport } from '../../src/kube/transport/handler.ts'
import type { Random } from '../../src/runtime/random.ts'
import { createSimulation, type Fault, type FaultPlan } from '../../src/runtime/simulated/index.ts'
import { numbersFor, playNumber } from '../replay/numbers.ts'
import { createHandler } from './server/handler.ts'
import { type Kept, Ledger } from './server/ledger.ts'
import { Storage } from './server/storage.ts'

const minute = 60_000
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random.next() * choices.length)] ?? choices[0]

function drawPlan(random: Random): FaultPlan {
  return Array.from({ length: 40 }, (_, index): Fault => {
    const from = 1 + Math.floor(index / 2)
    const match = { contains: pick(random, ['watch=true', 'limit=']), from, count: 1 }
    switch (pick(random, ['drop', 'delay', 'answer'])) {
      case 'drop':
        return { kind: 'drop', match, afterBytes: Math.floor(random.next() * 2_000) }
      case 'delay':
        return { kind: 'delay', match, milliseconds: random.next() * 4 * minute }
      default: {
        const status = pick(random, [200, 401, 403, 429, 500, 502, 503])
        const headers = random.next() < 0.5 ? { 'retry-after': '3' } : {}
        const html = random.next() < 0.3 || status === 200 ? { body: '<html>no</html>' } : {}
        return { kind: 'answer', match, status, headers, ...html }
      }
    }
  })
}

function change(storage: Storage, random: Random): void {
  const name = `object-${Math.floor(random.next() * 30)}`
  if (storage.objects.has(name) && random.next() < 0.4) storage.delete(name)
  else storage.put(name)
}

async function play(seed: number, { compactsHistory }: { compactsHistory: boolean }) {
  const simulation = createSimulation(seed)
  const { random } = simulation.domain('world').runtime
  const domain = simulation.domain('client')
  const storage = new Storage()
  for (let index = 0; index < 20; index++) storage.put(`object-${index}`)
  const ledger = new Ledger()
  ledger.follow(storage)
  const server = createHandler(storage, simulation.domain('server').runtime.clock)
  await simulation.run(() => simulation.domain('server').runtime.http.listen({ host: 'api', port: 80 }, server.handle))
  domain.inject(drawPlan(random))
  const { runtime } = domain
  const transport = handlerTransport((request) => runtime.http.request({ origin: 'http://api' }, request))
  const client = createClient({ transport, runtime }).of(resources.configMaps)
  const project = ({ metadata }: KubeObject): Kept => ({ version: metadata.resourceVersion ?? '' })
  const reflector = createReflector(client, runtime, { project })
  const { cache } = reflector
  cache.subscribe(ledger.report)
  void reflector.run(new AbortController().signal)
  await simulation.run(() => cache.synced)
  const lists = server.lists
  for (let elapsed = 0; elapsed < 30 * minute; ) {
    const pause = random.next() * 20_000
    elapsed += pause
    await simulation.advance(pause)
    change(storage, random)
    if (compactsHistory && random.next() < 0.05) storage.forget()
    if (random.next() < 0.05) domain.jumpClock((random.next() - 0.5) * 10 * minute)
  }
  await simulation.advance(30 * minute)
  const equal =
    cache.size === storage.objects.size &&
    [...storage.objects].every(
      ([name, { metadata }]) => cache.get(`faults/${name}`)?.version === metadata.resourceVersion,
    )
  const { lost, doubled, repeated } = ledger
  return { equal, lost, doubled, repeated, relists: server.lists - lists, watches: server.watches }
}

describe('random faults', () => {
  it('lose nothing, double nothing and cause no second list', async () => {
    for (const number of numbersFor('reflector', upTo(60))) {
      await playNumber('reflector', number, async (seed) => {
        const outcome = await play(seed, { compactsHistory: false })
        expect(outcome, `seed ${seed}`).toMatchObject({ equal: true, lost: 0, doubled: 0, relists: 0 })
        expect(outcome.watches, `seed ${seed}`).toBeGreaterThan(3)
      })
    }
  })

  it('end with the cache equal to a server that compacts its history', async () => {
    for (const number of numbersFor('reflector', upTo(40))) {
      await playNumber('reflector', number, async (seed) => {
        expect(await play(seed, { compactsHistory: true }), `seed ${seed}`).toMatchObject({ equal: true, repeated: 0 })
      })
    }
  })
})
