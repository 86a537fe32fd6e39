import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseYaml } from '../../../kube/manifest/parse.ts'
import type { EmbeddedResource } from '../../resources/types.ts'
import { decodeContainer } from '../container/configuration.ts'
import { decodeHelm } from '../helm/configuration.ts'
import { decodeManifest } from '../manifest/configuration.ts'

const page = readFileSync(new URL('../../../../docs/reference/provider-configurations.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parseYaml(text, 'the page'))

const decoders: Readonly<Record<string, (config: EmbeddedResource) => unknown>> = {
  manifest: decodeManifest,
  helm: decodeHelm,
  container: decodeContainer,
}

it('the reference page shows only valid provider configurations', () => {
  const decoded = (examples as Partial<EmbeddedResource>[]).flatMap((example) => {
    // The operator's own configuration has no apiVersion.
    if (example.apiVersion === undefined) return []
    const decode = decoders[example.apiVersion.split('.', 1)[0] ?? '']
    return decode === undefined ? [] : [decode(example as EmbeddedResource)]
  })
  expect([examples.length, decoded.length]).toEqual([9, 7])
})
