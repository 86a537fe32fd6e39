import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** What a page does: a client over a handler that would call fetch. */
const page = `
import { createClient, handlerTransport, resources } from 'carabiner/kube'
import { createSimulation } from 'carabiner/runtime'

globalThis.run = async () => {
  const { runtime } = createSimulation(1).domain('page')
  const items = [{ metadata: { name: 'web' } }]
  const body = new TextEncoder().encode(JSON.stringify({ apiVersion: 'v1', kind: 'PodList', metadata: {}, items }))
  const headers = { 'content-type': 'application/json' }
  const transport = handlerTransport(async ({ target }) => ({ status: 200, headers: { ...headers, target }, body }))
  const client = createClient({ transport, runtime })
  return (await client.of(resources.pods).list({ namespace: 'shop' })).items.map(({ metadata }) => metadata.name)
}
`

describe('carabiner/kube in a browser', () => {
  it('is bundled without modules of Node.js or the network transport, and lists pods', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: page, resolveDir: process.cwd() },
      bundle: true,
      platform: 'browser',
      format: 'iife',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    const inputs = Object.values(metafile.inputs)
    expect(inputs.flatMap(({ imports }) => imports).filter(({ external }) => external)).toEqual([])
    expect(Object.keys(metafile.inputs).filter((path) => /undici|prom-client|pino/.test(path))).toEqual([])
    const globals = { AbortController, AbortSignal, TextDecoder, TextEncoder, Uint8Array, URLSearchParams }
    const browser = createContext(globals) as { run(): Promise<string[]> }
    runInContext(outputFiles[0]?.text ?? '', browser)
    expect(await browser.run()).toEqual(['web'])
  })

  it('is what the browser condition of the package names', async () => {
    const contents = `import * as kube from 'carabiner/kube'; globalThis.names = Object.keys(kube)`
    const bundled = await build({
      stdin: { contents, resolveDir: process.cwd() },
      bundle: true,
      platform: 'browser',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    expect(Object.keys(bundled.metafile.inputs)).toContain('dist/kube-browser.js')
    expect(Object.keys(bundled.metafile.inputs)).not.toContain('dist/kube.js')
  })
})
