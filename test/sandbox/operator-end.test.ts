/** How the operator ends: it says so, gives surfaces their time, and waits no longer. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { startOperator } from '../../src/operator/operator.ts'
import { resolveSettings } from '../../src/operator/settings.ts'
import type { Surface } from '../../src/operator/surface.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { start } from './program.ts'

it('says that it stops, and what it leaves behind', async () => {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 0 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const stubborn: Surface = {
      name: 'stubborn',
      resources: [],
      start: async () => ({ ready: Promise.resolve(), stop: () => new Promise<void>(() => {}) }),
    }
    const { values: settings } = resolveSettings({ flags: { listenPort: 0, shutdownSeconds: 5 } })
    const ending = new AbortController()
    const options = { runtime, client, settings, surfaces: [stubborn], identity: 'me' }
    const { ready, ended } = await startOperator(options, ending.signal)
    await ready
    ending.abort()
    const since = runtime.clock.monotonic()
    await ended
    expect(runtime.clock.monotonic() - since).toBe(5000)
    const said = simulation.logs.filter(({ message }) => /stop/.test(message))
    expect(said.map(({ message }) => message)).toEqual([
      'stopping',
      'a surface does not stop in time and is left behind',
    ])
    await sandbox.stop()
  })
})

it('does not wait for a server that never answers', async () => {
  const silent = createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const named = { name: 'silent' }
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'silent',
      contexts: [{ ...named, context: { cluster: 'silent', user: 'silent' } }],
      clusters: [{ ...named, cluster: { server } }],
      users: [{ ...named, user: {} }],
    }),
  )
  try {
    const connected = once(silent, 'connection')
    const operator = start(['run', '--kubeconfig', kubeconfig, '--listen-port', '0'])
    await connected
    operator.interrupt()
    expect(await operator.ended).toMatchObject({ code: 0, stderr: '' })
  } finally {
    silent.close()
    rmSync(folder, { recursive: true })
  }
})
