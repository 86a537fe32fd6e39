import { describe, expect, it } from 'vitest'
import type { Runtime } from '../../../../runtime/index.ts'
import { createSimulation, type Simulation } from '../../../../runtime/simulated/index.ts'
import { ApiServer } from '../../server.ts'
import { openDataFolder } from './folder.ts'

const folder = '/data'

/** A cluster that ran and has ended. */
async function endedCluster(runtime: Runtime): Promise<string> {
  const data = await openDataFolder(runtime, folder)
  const journal = data.journal({ port: 6443 })
  const server = new ApiServer(runtime, { journal })
  const headers = { 'content-type': 'application/json' }
  const body = new TextEncoder().encode('{"metadata":{"name":"shop"}}')
  expect((await server.as()({ method: 'POST', target: '/api/v1/namespaces', headers, body })).status).toBe(201)
  await journal.close()
  await data.close()
  const names = await runtime.files.list(folder)
  expect(names).toHaveLength(1)
  return `${folder}/${names[0]}`
}

const inSimulation = (work: (runtime: Runtime, simulation: Simulation) => Promise<void>): Promise<void> => {
  const simulation = createSimulation(1)
  return simulation.run(() => work(simulation.runtime, simulation))
}

describe('opening a data folder', () => {
  it('returns the objects and the settings, and files are for this user alone', () =>
    inSimulation(async (runtime) => {
      const file = await endedCluster(runtime)
      expect(await runtime.files.facts(file)).toMatchObject({ mode: 0o600 })
      expect(await runtime.files.facts(folder)).toMatchObject({ mode: 0o700 })
      const { saved } = await openDataFolder(runtime, folder)
      expect(saved?.settings).toEqual({ port: 6443 })
      const namespaces = saved?.state.collections.get('/namespaces')?.map(([key]) => key)
      expect(namespaces).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system', 'shop'])
    }))

  it('is refused while another process uses it, and possible after its end', () =>
    inSimulation(async (runtime, simulation) => {
      const other = simulation.domain('other')
      await openDataFolder(other.runtime, folder)
      await expect(openDataFolder(runtime, folder)).rejects.toMatchObject({
        code: 'CRB_SANDBOX_DATA_IN_USE',
        message: expect.stringContaining(folder),
      })
      other.halt()
      expect((await openDataFolder(runtime, folder)).saved).toBeUndefined()
    }))

  it('leaves out a torn end', () =>
    inSimulation(async (runtime) => {
      const file = await endedCluster(runtime)
      const bytes = await runtime.files.read(file)
      await runtime.files.write(file, bytes.slice(0, -3))
      const { saved, close } = await openDataFolder(runtime, folder)
      expect(saved?.state.collections.get('/namespaces')).toHaveLength(4)
      await close()
    }))

  it.each([
    [
      'damage in the middle',
      (text: string) => text.replace('kube-public', 'kube-qublic'),
      /line at byte \d+ is damaged/,
    ],
    ['a line that is missing', (text: string) => text.split('\n').slice(0, 20).join('\n'), /objects are missing/],
    ['an empty file', () => '', /first line/],
    ['another program', () => 'hello\n', /first line/],
  ])('refuses %s, names the file and changes nothing', (_, change, reason) =>
    inSimulation(async (runtime) => {
      const file = await endedCluster(runtime)
      const changed = change(await runtime.files.readText(file))
      await runtime.files.write(file, changed)
      for (const _attempt of [1, 2])
        await expect(openDataFolder(runtime, folder)).rejects.toMatchObject({
          code: 'CRB_SANDBOX_DATA_INVALID',
          message: expect.stringMatching(new RegExp(`${file}.*${reason.source}`)),
        })
      expect(await runtime.files.readText(file)).toBe(changed)
    }),
  )

  it('refuses a file of another version', () =>
    inSimulation(async (runtime) => {
      const { encodeLine } = await import('./lines.ts')
      await runtime.files.makeDirectory(folder)
      await runtime.files.write(`${folder}/data-00000007`, encodeLine({ format: 'carabiner sandbox', version: 2 }))
      await expect(openDataFolder(runtime, folder)).rejects.toMatchObject({
        message: expect.stringMatching(/data-00000007": it has version 2, and this program reads version 1/),
      })
    }))

  it('refuses a folder with other files', () =>
    inSimulation(async (runtime) => {
      await runtime.files.makeDirectory(folder)
      await runtime.files.write(`${folder}/thesis.md`, 'all my work')
      await expect(openDataFolder(runtime, folder)).rejects.toMatchObject({
        code: 'CRB_SANDBOX_DATA_INVALID',
        message: expect.stringContaining('thesis.md'),
      })
    }))
})
