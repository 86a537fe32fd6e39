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

it('takes its kubeconfig away when it ends, but not that of a sandbox which was started since', async () => {
  const path = `${folder}/one`
  const first = await serve(path)
  // As kubectl writes it.
  await files.write(path, 'apiVersion: v1\ncurrent-context: carabiner-sandbox\nkind: Config\n')
  const second = await serve(path)
  expect(await files.readText(path)).toContain(second.origin)
  await first.stop()
  expect(await files.readText(path)).toContain(second.origin)
  await second.stop()
  expect(await files.facts(path)).toBeUndefined()
})

it('overwrites no kubeconfig of another cluster', async () => {
  const path = `${folder}/other`
  await files.write(path, 'current-context: production\n')
  await expect(serve(path)).rejects.toMatchObject({ code: 'CRB_USAGE', message: expect.stringContaining(path) })
  expect(await files.readText(path)).toBe('current-context: production\n')
})
