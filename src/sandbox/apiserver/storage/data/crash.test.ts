/** Power failures at every operation of the disk: everything acknowledged is there afterwards, and no resourceVersion is given twice. */
import { describe, expect, it } from 'vitest'
import { CarabinerError, type HttpHandler, type Json } from '../../../../runtime/index.ts'
import { createSeededRandom, createSimulation, type Simulation } from '../../../../runtime/simulated/index.ts'
import { ApiServer } from '../../server.ts'
import { openDataFolder } from './folder.ts'

const folder = '/data'
const rounds = 20
/** Makes the changes of one life larger than the snapshot, so that several files begin. */
const padding = 'x'.repeat(12_000)
const clients = 3
const configMaps = '/api/v1/namespaces/default/configmaps'

interface World {
  readonly simulation: Simulation
  /** The value of each object that was acknowledged last, and all values that were sent after it. */
  readonly acknowledged: Map<string, string | undefined>
  readonly sent: Map<string, (string | undefined)[]>
  /** The greatest resourceVersion that any client saw. */
  seen: number
  lives: number
}

async function call(server: HttpHandler, method: string, target: string, body?: Json) {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
  const bytes = body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }
  const answer = await server({ method, target, headers, ...bytes })
  const text = answer.body instanceof Uint8Array ? new TextDecoder().decode(answer.body) : ''
  return { status: answer.status, object: JSON.parse(text) }
}

async function start({ simulation }: World) {
  const { runtime } = simulation
  const data = await openDataFolder(runtime, folder, { compactionBytes: 1000 })
  const journal = data.journal({})
  const server = new ApiServer(runtime, { journal, ...(data.saved && { state: data.saved.state }) })
  await journal.flushed()
  return { server, data, journal }
}

/** Writes until it ends or until the machine crashes. */
async function live(world: World): Promise<void> {
  const { server } = await start(world)
  world.lives++
  const client = async (number: number) => {
    for (let round = 0; round < rounds; round++) {
      const name = `c${number}-${round % 4}`
      const value = round % 4 === 3 && round > 4 ? undefined : `${world.lives}.${number}.${round}`
      await write(world, server.as(), name, value)
    }
  }
  // Readers see changes before they are saved.
  let isWriting = true
  const reader = async () => {
    while (isWriting) {
      const { object } = await call(server.as(), 'GET', `${configMaps}?limit=1`)
      world.seen = Math.max(world.seen, Number(object.metadata.resourceVersion))
      await world.simulation.clock.sleep(0)
    }
  }
  const reading = reader()
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  isWriting = false
  await reading
}

async function write(world: World, server: HttpHandler, name: string, value: string | undefined): Promise<void> {
  const sent = world.sent.get(name) ?? []
  sent.push(value)
  world.sent.set(name, sent)
  const before = await call(server, 'GET', `${configMaps}/${name}`)
  const exists = before.status === 200
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: value ?? '', padding } }
  const answer =
    value === undefined
      ? await call(server, 'DELETE', `${configMaps}/${name}`)
      : exists
        ? await call(server, 'PATCH', `${configMaps}/${name}`, { data: { value, padding: `${padding}${value}` } })
        : await call(server, 'POST', configMaps, object)
  expect(answer.status).toBeLessThan(value === undefined ? 405 : 300)
  world.seen = Math.max(world.seen, Number(answer.object.metadata?.resourceVersion ?? 0))
  world.acknowledged.set(name, value)
  world.sent.set(name, [])
}

/** Starts again and compares. */
async function check(world: World): Promise<void> {
  const { server, data, journal } = await start(world)
  const { object: list } = await call(server.as(), 'GET', configMaps)
  const values = new Map<string, string>(
    list.items.map((item: { metadata: { name: string }; data?: { value: string } }) => [
      item.metadata.name,
      item.data?.value,
    ]),
  )
  for (const [name, value] of world.acknowledged)
    expect([value, ...(world.sent.get(name) ?? [])], name).toContain(values.get(name))
  // What was not acknowledged may be there or not; from now on it is what it is.
  for (const name of world.sent.keys()) {
    if (world.acknowledged.has(name) || values.has(name)) world.acknowledged.set(name, values.get(name))
    world.sent.set(name, [])
  }
  const next = await call(server.as(), 'POST', '/api/v1/namespaces', { metadata: { name: `check-${world.seen}` } })
  expect(Number(next.object.metadata.resourceVersion)).toBeGreaterThan(world.seen)
  world.seen = Number(next.object.metadata.resourceVersion)
  // There is no Job any more, but there may have been one.
  for (const kind of ['api/v1/configmaps', 'apis/batch/v1/jobs']) {
    const target = `/${kind}?watch=1&resourceVersion=5`
    const watch = await server.as()({ method: 'GET', target, headers: {} })
    if (watch.body instanceof Uint8Array) throw new Error('a watch is a stream')
    for await (const event of watch.body) {
      expect(JSON.parse(new TextDecoder().decode(event))).toMatchObject({ type: 'ERROR', object: { code: 410 } })
      break
    }
  }
  await journal.close()
  await data.close()
}

/** Runs one life in which the machine crashes before the operation with this number; returns whether it did. */
async function crashAt(world: World, at: number, disk: { onDisk: (operation: string) => void }): Promise<boolean> {
  let operations = 0
  let crashed = false
  await world.simulation.run(
    () =>
      new Promise<void>((resolve, reject) => {
        disk.onDisk = () => {
          if (++operations !== at) return
          crashed = true
          world.simulation.crash()
          resolve()
        }
        live(world).then(resolve, reject)
      }),
  )
  disk.onDisk = () => undefined
  // A process that is killed keeps what the system has not written yet.
  if (!crashed) world.simulation.halt('main')
  return crashed
}

function createWorld(seed: number) {
  const disk: { onDisk: (operation: string) => void } = { onDisk: () => undefined }
  const simulation = createSimulation(seed, { onDisk: (operation) => disk.onDisk(operation) })
  const world: World = { simulation, acknowledged: new Map(), sent: new Map(), seen: 0, lives: 0 }
  return { world, disk }
}

describe('a data folder', () => {
  it('loses nothing acknowledged in a power failure before any operation', async () => {
    let crashes = 0
    for (let at = 1; ; at++) {
      const { world, disk } = createWorld(at)
      if (!(await crashAt(world, at, disk))) break
      crashes++
      await world.simulation.run(() => check(world))
    }
    // New files begin several times: creation, parts, rename, removal of the older one.
    expect(crashes).toBeGreaterThan(40)
  })

  it('loses nothing acknowledged in many power failures one after the other', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = createSeededRandom(seed, 'moments')
      const { world, disk } = createWorld(seed)
      for (let life = 0; life < 5; life++) {
        await crashAt(world, 1 + Math.floor(random.next() * 60), disk)
        await world.simulation.run(() => check(world))
        if (random.next() < 0.5) world.simulation.halt('main')
      }
    }
  })

  it('refuses changes while the disk is full, and accepts them again when there is room', async () => {
    const { world, disk } = createWorld(1)
    await world.simulation.run(async () => {
      const { server, journal, data } = await start(world)
      await write(world, server.as(), 'before', 'x')
      disk.onDisk = (operation) => {
        if (/^(append|create)/.test(operation))
          throw new CarabinerError('CRB_FILE_UNREADABLE', 'no space left on the device')
      }
      const create = (name: string) =>
        call(server.as(), 'POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
      const refused = await create('during')
      expect(refused).toMatchObject({
        status: 500,
        object: { message: expect.stringMatching(/cannot be saved in "\/data": no space left on the device/) },
      })
      expect(await create('later')).toMatchObject({ status: 500 })
      expect(await call(server.as(), 'GET', `${configMaps}/later`)).toMatchObject({ status: 404 })
      await world.simulation.clock.sleep(1500)
      expect(await create('later')).toMatchObject({ status: 500 })
      disk.onDisk = () => undefined
      await world.simulation.clock.sleep(1500)
      await write(world, server.as(), 'after', 'y')
      await journal.close()
      await data.close()
      expect(await world.simulation.runtime.files.list(folder)).toHaveLength(1)
    })
    world.simulation.crash()
    await world.simulation.run(() => check(world))
    expect(world.acknowledged.get('after')).toBe('y')
  })
})
