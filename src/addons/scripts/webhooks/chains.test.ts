import { describe, expect, it } from 'vitest'
import type { Hook } from '../hook.ts'
import { ConversionChains } from './chains.ts'

const crdName = 'boxes.example.com'

function hook(name: string, ...rules: readonly (readonly [string, string])[]): Hook {
  const conversions = rules.map(([fromVersion, toVersion]) => ({ fromVersion, toVersion }))
  const binding = { name: 'boxes', crdName, conversions, includeSnapshotsFrom: [] }
  return { name, config: { conversions: [binding] } } as unknown as Hook
}

const shown = (chains: ConversionChains, from: string, to: string) =>
  chains
    .find(crdName, `example.com/${from}`, `example.com/${to}`)
    ?.map(({ hook: { name }, rule }) => `${name}: ${rule.fromVersion} ${rule.toVersion}`)

describe('ConversionChains', () => {
  it('[addons A4] finds the shortest chain over all hooks, with short and full versions', () => {
    const chains = new ConversionChains([
      hook('a', ['v1', 'v2'], ['v2', 'v3'], ['v3', 'v4']),
      hook('b', ['example.com/v2', 'example.com/v4'], ['v4', 'v1']),
    ])
    expect(chains.definitions).toEqual([crdName])
    expect(shown(chains, 'v1', 'v4')).toEqual(['a: v1 v2', 'b: example.com/v2 example.com/v4'])
    expect(shown(chains, 'v4', 'v2')).toEqual(['b: v4 v1', 'a: v1 v2'])
    expect(shown(chains, 'v1', 'v1')).toEqual([])
  })

  it('returns undefined without a chain, and handles cycles', () => {
    const chains = new ConversionChains([hook('a', ['v1', 'v2'], ['v2', 'v1'])])
    expect(shown(chains, 'v1', 'v3')).toBeUndefined()
    expect(chains.find('others.example.com', 'example.com/v1', 'example.com/v2')).toBeUndefined()
  })

  it('lists conversions without a chain back', () => {
    const chains = new ConversionChains([hook('a', ['v1', 'v2'], ['v2', 'v3']), hook('b', ['v3', 'v1'], ['v3', 'v4'])])
    expect(chains.oneWay()).toEqual([{ definition: crdName, from: 'example.com/v3', to: 'example.com/v4' }])
  })

  it('prefers the first hook among chains of equal length', () => {
    const chains = new ConversionChains([hook('a', ['v1', 'v2']), hook('b', ['v1', 'v2'])])
    expect(shown(chains, 'v1', 'v2')).toEqual(['a: v1 v2'])
  })
})
