import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { contextOf, type Piece } from './json-pieces.ts'

describe('contextOf', () => {
  const { runtime } = createSimulation(1)
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('returns a small context as text', () => {
    expect(contextOf(['["ä",', bytes('"ö"'), ']'], runtime.files)).toBe('["ä","ö"]')
  })

  it('returns a writer for a large context, which writes it in blocks', async () => {
    const pieces: Piece[] = ['[0']
    for (let index = 1; index < 3000; index++) pieces.push(',', bytes(`"${'ü'.repeat(500)}"`))
    const large = 'ü'.repeat(1 << 20)
    pieces.push(',', JSON.stringify(large), ',', bytes(JSON.stringify(large)), ']')
    const simulation = createSimulation(1)
    const { files } = simulation.runtime
    const write = contextOf(pieces, files)
    if (typeof write === 'string') throw new Error('expected a writer')
    const text = await simulation.run(async () => {
      await files.makeDirectory('/tmp')
      await files.write('/tmp/context', 'what was there before')
      await write('/tmp/context')
      return files.readText('/tmp/context')
    })
    expect(JSON.parse(text)).toEqual([0, ...Array.from({ length: 2999 }, () => 'ü'.repeat(500)), large, large])
  })
})
