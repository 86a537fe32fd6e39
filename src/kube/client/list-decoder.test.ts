import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListDecoder } from './list-decoder.ts'

const from = { method: 'GET', target: '/api/v1/pods' }
const managedFields = [{ manager: 'm', fieldsV1: { 'f:a': {} } }]

/** Decodes what comes in chunks of this size, and counts how often other work got its turn. */
async function decoded(text: string, size = text.length * 4) {
  let turns = 0
  const yieldToOthers = async () => {
    turns++
  }
  const decoder = new ListDecoder({ from, omitManagedFields: true, keep: (object) => object, yieldToOthers })
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) await decoder.take(bytes.subarray(at, at + size))
  return { list: decoder.end(), turns }
}

const item = (name: string, more: object = {}) => ({
  metadata: { name, ...more },
  data: { text: 'ü]},{"['.repeat(2_000) },
})
const frame = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'c' } }

describe('ListDecoder', () => {
  it('decodes the same list as JSON.parse, and yields to other work', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `p${index}`)
    const full = { ...frame, items: names.map((name) => item(name, { managedFields })) }
    const { list, turns } = await decoded(JSON.stringify(full))
    expect(list).toEqual({ ...frame, items: names.map((name) => item(name)) })
    expect(turns).toBeGreaterThan(3)
  })

  it('decodes the same list wherever the chunks are cut', async () => {
    const small = (name: string) => ({ metadata: { name, managedFields }, data: { text: 'ü]},\\"{"[\\' } })
    const full = { ...frame, items: ['a', 'b', 'c'].map(small) }
    const whole = (await decoded(JSON.stringify(full))).list
    expect(whole.items).toEqual(full.items.map(({ data, metadata: { name } }) => ({ data, metadata: { name } })))
    for (let size = 1; size < 300; size++) expect((await decoded(JSON.stringify(full), size)).list).toEqual(whole)
  })

  it('converts each object with keep', async () => {
    const options = { from, omitManagedFields: false, yieldToOthers: async () => undefined }
    const decoder = new ListDecoder({ ...options, keep: ({ metadata }) => metadata.name })
    await decoder.take(new TextEncoder().encode(JSON.stringify({ ...frame, items: [item('a'), item('b')] })))
    expect(decoder.end().items).toEqual(['a', 'b'])
  })

  it('decodes short lists, empty lists and lists with spaces at the end', async () => {
    const large = { ...frame, items: Array.from({ length: 100 }, (_, index) => item(`p${index}`)) }
    expect(await decoded(JSON.stringify({ ...frame, items: [item('a')] }))).toMatchObject({ turns: 0 })
    expect(await decoded(JSON.stringify({ ...frame, items: [] }))).toEqual({ list: { ...frame, items: [] }, turns: 0 })
    expect(await decoded(JSON.stringify(large, undefined, 1))).toEqual({ list: large, turns: 0 })
  })

  it('rejects a truncated list, wherever it is cut', async () => {
    const text = JSON.stringify({ ...frame, items: Array.from({ length: 100 }, (_, index) => item(`p${index}`)) })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: text.length - 1 }),
        fc.integer({ min: 1000, max: 1e6 }),
        async (cut, size) => {
          await expect(decoded(text.slice(0, cut), size)).rejects.toMatchObject({ code: 'CRB_API_ANSWER_MALFORMED' })
        },
      ),
      { numRuns: 30 },
    )
  })

  it('keeps the fields before and after the items', async () => {
    const items = Array.from({ length: 100 }, (_, index) => item(`p${index}`))
    const odd = { metadata: { items: [1], resourceVersion: '7' }, items, kind: 'X', apiVersion: 'v1' }
    expect((await decoded(JSON.stringify(odd))).list).toEqual(odd)
  })
})
