import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { serveSandbox } from './serve.ts'

const runtime = createRealRuntime({ log: { write: () => undefined } })
const { files } = runtime
let folder: string
beforeAll(async () => {
  folder = await files.makeTemporary('serve-')
})
afterAll(() => files.remove(folder))
const serve = (kubeconfig: string) => serveSandbox(runtime, { port: 0, nodes: 1, kubeconfig })

it('removes its kubeconfig at the end, but not that of another sandbox', async () => {
  const path = `${folder}/one`
  const first = await serve(path)
  // The form in which kubectl rewrites it.
  await files.write(path, 'apiVersion: v1\ncurrent-context: carabiner-sandbox\nkind: Config\n')
  const second = await serve(path)
  expect(await files.readText(path)).toContain(second.origin)
  await first.stop()
  expect(await files.readText(path)).toContain(second.origin)
  await second.stop()
  expect(await files.facts(path)).toBeUndefined()
})

it('does not overwrite the kubeconfig of another cluster', async () => {
  const path = `${folder}/other`
  await files.write(path, 'current-context: production\n')
  await expect(serve(path)).rejects.toMatchObject({ code: 'CRB_USAGE', message: expect.stringContaining(path) })
  expect(await files.readText(path)).toBe('current-context: production\n')
})
