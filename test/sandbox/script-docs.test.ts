/** Runs the example of the reference: hooks receive the contexts printed on the page. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseYaml } from '../../src/kube/index.ts'
import { playScripts } from './scripts.ts'

const page = readFileSync(new URL('../../docs/reference/hook-bindings.md', import.meta.url), 'utf8')
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? ''

it('the example of bindings and contexts', () =>
  playScripts(
    { 'a.sh': { config: parseYaml(block('yaml'), 'hook-bindings.md') as object } },
    async ({ start, configMap, change, sleep, runs }) => {
      await configMap('shop', { size: '3' })
      await start()
      await sleep(1)
      await change('shop', { size: '4' })
      await sleep(3600)
      const received = runs.map(({ contexts }) => JSON.stringify(contexts))
      expect(received).toEqual(block('json').trim().split('\n'))
    },
  ))
