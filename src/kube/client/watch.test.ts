import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WatchEvent } from './client.ts'
import { watchEvents } from './watch.ts'

const text = new TextEncoder()

async function* stream(chunks: readonly Uint8Array[]) {
  yield* chunks
}

async function collect(chunks: readonly Uint8Array[]): Promise<WatchEvent[]> {
  const events: WatchEvent[] = []
  for await (const event of watchEvents(stream(chunks), '/api/v1/pods?watch=true')) events.push(event)
  return events
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...places.map((place) => place % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

function event(name: string): WatchEvent {
  return { type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name } } }
}

describe('watchEvents', () => {
  it('decodes the same events wherever the chunks are cut, even inside a character', async () => {
    const events = ['plain', 'Zürich', '東京', '🧗', ''].map(event)
    const bytes = text.encode(events.map((one) => `${JSON.stringify(one)}\n`).join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (places) => {
        expect(await collect(cutAt(bytes, places))).toEqual(events)
      }),
    )
  })

  it('reads an event of 12 MB in small chunks', async () => {
    const large = event('x'.repeat(12 * 1024 * 1024))
    const bytes = text.encode(`${JSON.stringify(large)}\n${JSON.stringify(event('next'))}\n`)
    const chunks: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.subarray(at, at + 16_384))
    const [first, second] = await collect(chunks)
    expect(first).toEqual(large)
    expect(second).toEqual(event('next'))
  })

  it('rejects when the stream ends in the middle of an event', async () => {
    const whole = JSON.stringify(event('a'))
    await expect(collect([text.encode(`${whole}\n{"type":"ADD`)])).rejects.toMatchObject({
      code: 'CRB_CONNECTION_BROKEN',
      message: 'WATCH /api/v1/pods: the connection ended after 12 bytes of an event.',
    })
  })

  it.each([
    ['invalid UTF-8', [123, 34, 0xc3, 0x28, 34, 58, 49, 125, 10]],
    ['HTML', [...text.encode('<html></html>\n')]],
  ])('rejects %s instead of skipping it', async (_, bytes) => {
    await expect(collect([new Uint8Array(bytes)])).rejects.toMatchObject({ code: 'CRB_API_ANSWER_MALFORMED' })
  })
})
