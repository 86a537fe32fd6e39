import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { findSandbox, listSandboxes, stopSandbox } from './names.ts'
import { type ServedSandbox, type ServeOptions, serveSandbox } from './serve.ts'

let folder: string
const created = createRealRuntime({ log: { write: () => undefined } })
const { files } = created
beforeAll(async () => {
  folder = await files.makeTemporary('serve-')
})
afterAll(() => files.remove(folder))

/** With a home of its own, so that other sandboxes on this machine are not listed. */
const runtimeAt = (home: string) => ({ ...created, env: { HOME: home, TMPDIR: home } })
const served: ServedSandbox[] = []
async function serve(home: string, options: Partial<ServeOptions> = {}): Promise<ServedSandbox> {
  await files.makeDirectory(home)
  const one = await serveSandbox(runtimeAt(home), { nodes: 0, command: 'sandbox', port: 0, ...options })
  served.push(one)
  return one
}

describe('a sandbox', () => {
  it('has its own name, kubeconfig and port while others run', async () => {
    const home = `${folder}/several`
    // Two that start at the same time.
    const [first, second] = await Promise.all([serve(home), serve(home)])
    const names = [first.name, second.name].sort()
    expect(names).toEqual(['sandbox', 'sandbox-2'])
    expect(await files.readText(first.kubeconfig)).toContain(first.origin)
    expect(await files.readText(second.kubeconfig)).toContain(second.origin)
    expect(first.kubeconfig).toBe(`${home}/.carabiner/${first.name}.kubeconfig`)
    const listed = await listSandboxes(runtimeAt(home))
    expect(listed.map(({ name, state, pid }) => [name, state, pid]).sort()).toEqual(
      names.map((name) => [name, 'running', process.pid]),
    )
    await expect(serve(home, { name: 'sandbox' })).rejects.toMatchObject({
      code: 'CRB_SANDBOX_RUNNING',
      message: expect.stringMatching(/"sandbox" already runs: process \d+, https:\/\/127/),
    })
    await first.stop()
    expect(await files.facts(first.kubeconfig)).toBeUndefined()
    expect(await files.readText(second.kubeconfig)).toContain(second.origin)
    expect(await findSandbox(runtimeAt(home), undefined)).toMatchObject({ name: second.name })
    await second.stop()
    await expect(findSandbox(runtimeAt(home), undefined)).rejects.toMatchObject({ code: 'CRB_SANDBOX_NOT_FOUND' })
  })

  it('takes another port when the usual one is in use, and says who has the one that was asked for', async () => {
    const home = `${folder}/ports`
    const first = await serve(home)
    const port = Number(new URL(first.origin).port)
    await expect(serve(home, { port })).rejects.toMatchObject({
      code: 'CRB_PORT_IN_USE',
      remedy: 'Stop that program, or choose another port with --port NUMBER; 0 takes any free port.',
    })
    const [second, third] = [
      await serveSandbox(runtimeAt(home), { nodes: 0, command: 'sandbox' }),
      await serveSandbox(runtimeAt(home), { nodes: 0, command: 'sandbox' }),
    ]
    expect(second.origin).not.toBe(third.origin)
    for (const one of [first, second, third]) await one.stop()
  })

  it('does not overwrite the kubeconfig of another cluster or of a sandbox that runs', async () => {
    const home = `${folder}/kubeconfigs`
    const path = `${folder}/other`
    await files.write(path, 'current-context: production\n')
    await expect(serve(home, { kubeconfig: path })).rejects.toMatchObject({ code: 'CRB_USAGE' })
    expect(await files.readText(path)).toBe('current-context: production\n')
    const first = await serve(home, { kubeconfig: `${folder}/one` })
    await expect(serve(home, { kubeconfig: `${folder}/one` })).rejects.toMatchObject({
      code: 'CRB_USAGE',
      message: expect.stringContaining('is the kubeconfig of the sandbox "sandbox", which runs'),
    })
    expect(await files.readText(`${folder}/one`)).toContain(first.origin)
    await first.stop()
    // As kubectl rewrites that of a sandbox that was killed.
    const text = 'clusters:\n- cluster:\n    server: https://127.0.0.1:6443\ncurrent-context: carabiner-sandbox\n'
    await files.write(path, text)
    const second = await serve(home, { kubeconfig: path })
    expect(await files.readText(path)).toContain(second.origin)
    await second.stop()
  })

  it('stops when it is asked to, and refuses names that are no names', async () => {
    const home = `${folder}/stop`
    const one = await serve(home, { name: 'shop' })
    void new Promise((resolve) => one.stopRequested.addEventListener('abort', resolve)).then(() => one.stop())
    const runtime = runtimeAt(home)
    await stopSandbox(runtime, await findSandbox(runtime, 'shop'), new AbortController().signal)
    expect(one.stopRequested.aborted).toBe(true)
    expect(await listSandboxes(runtime)).toEqual([])
    for (const name of ['../x', 'A', '', 'x'.repeat(41)])
      await expect(serve(home, { name })).rejects.toMatchObject({ code: 'CRB_USAGE' })
  })

  it('keeps objects, tokens, the kubeconfig and the port in a data folder', async () => {
    const home = `${folder}/data`
    const data = `${folder}/data/kept`
    const first = await serve(home, { data })
    const { port } = new URL(first.origin)
    const kubeconfig = await files.readText(first.kubeconfig)
    const client = createClient({ transport: first.sandbox.transport(), runtime: created })
    await client.of(resources.namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
    await expect(serve(home, { data })).rejects.toMatchObject({ code: 'CRB_SANDBOX_DATA_IN_USE' })
    expect((await listSandboxes(runtimeAt(home)))[0]).toMatchObject({ data })
    await first.stop()
    const second = await serveSandbox(runtimeAt(home), { nodes: 0, command: 'sandbox', data })
    expect(second.isRestored).toBe(true)
    expect(new URL(second.origin).port).toBe(port)
    expect(await files.readText(second.kubeconfig)).toBe(kubeconfig)
    const again = createClient({ transport: second.sandbox.transport(), runtime: created })
    expect(await again.of(resources.namespaces).get('shop')).toMatchObject({ metadata: { name: 'shop' } })
    await second.stop()
  })
})
