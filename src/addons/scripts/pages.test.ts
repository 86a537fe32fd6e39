/** Checks that the examples in the documentation are valid. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseConfigText } from './config/parse.ts'
import { readMetrics } from './metrics/read.ts'
import { readPatches } from './patches/read.ts'

const page = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')
const blocks = (text: string, language: string): string[] =>
  Array.from(
    text.matchAll(new RegExp(`\`\`\`${language}(?: [^\n]*)?\n([\\s\\S]*?)\`\`\``, 'g')),
    ([, code]) => code ?? '',
  )

describe('the examples in the documentation', () => {
  const reference = page('reference/hooks.md')
  const guide = page('guides/write-a-hook.md')

  it('are valid configurations', () => {
    const scripts = blocks(guide, 'bash').flatMap((code) => /<<'EOF'\n([\s\S]*?)EOF/.exec(code)?.[1] ?? [])
    const configs = [
      ...blocks(reference, 'yaml').filter((code) => code.startsWith('configVersion')),
      ...blocks(reference, 'json').filter((code) => code.includes('onKubernetesEvent')),
      ...blocks(page('reference/hook-webhooks.md'), 'yaml'),
      ...scripts,
    ]
    expect(configs).toHaveLength(4)
    for (const config of configs)
      expect(parseConfigText(config, { scope: 'standalone', jq: {} })).toMatchObject({ errors: [], warnings: [] })
  })

  it('are valid operations', () => {
    const [patches = ''] = blocks(reference, 'yaml').filter((code) => code.startsWith('operation'))
    expect(readPatches(patches, {})).toMatchObject({ errors: [] })
    expect(readPatches(patches, {}).operations).toHaveLength(5)
  })

  it('are valid metrics', () => {
    const metrics = blocks(reference, 'json').filter((code) => code.includes('"shop_orders"'))
    expect(readMetrics(metrics.join('\n'))).toMatchObject({ errors: [] })
    expect(readMetrics(metrics.join('\n')).operations).toHaveLength(6)
  })
})
