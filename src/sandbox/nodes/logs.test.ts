import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { ContainerLogs } from './logs.ts'

const text = (value: string) => new TextEncoder().encode(value)

async function read(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let result = ''
  for await (const bytes of stream ?? []) result += new TextDecoder().decode(bytes)
  return result
}

describe('logs', () => {
  it('are followed to the end without lost or duplicate lines', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const { clock } = simulation
      const logs = new ContainerLogs(clock)
      const writer = logs.open('u', 'c')
      const following = read(logs.read('u', { container: 'c', follow: true }))
      for (let line = 0; line < 20; line++) {
        writer.write(text(`line ${line}\nhalf`))
        await clock.sleep(10)
        writer.write(text(' done\n'))
      }
      writer.write(text('tail'))
      writer.close()
      expect(await following).toBe(
        `${Array.from({ length: 20 }, (_, line) => `line ${line}\nhalf done\n`).join('')}tail`,
      )
    })
  })

  it('support tailLines, sinceSeconds, limitBytes, timestamps and previous', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const { clock } = simulation
      const logs = new ContainerLogs(clock)
      const first = logs.open('u', 'c')
      first.write(text('old\n'))
      first.close()
      const second = logs.open('u', 'c')
      second.write(text('one\n'))
      await clock.sleep(5000)
      second.write(text('two\nthree\n'))
      const query = { container: 'c' }
      expect(await read(logs.read('u', { ...query, previous: true }))).toBe('old\n')
      expect(await read(logs.read('u', { ...query, tailLines: 2 }))).toBe('two\nthree\n')
      expect(await read(logs.read('u', { ...query, sinceSeconds: 2 }))).toBe('two\nthree\n')
      expect(await read(logs.read('u', { ...query, limitBytes: 6 }))).toBe('one\ntw')
      expect(await read(logs.read('u', { ...query, tailLines: 1, timestamps: true }))).toBe(
        '2026-01-01T00:00:05.000000000Z three\n',
      )
      expect(logs.read('u', { container: 'other' })).toBeUndefined()
    })
  })

  it('keep ten megabytes, also of a line without end', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const logs = new ContainerLogs(simulation.clock)
      const writer = logs.open('u', 'c')
      const piece = new Uint8Array(2 ** 16).fill(120)
      for (let written = 0; written < 30 * 2 ** 20; written += piece.length) writer.write(piece)
      writer.write(text('the end\n'))
      writer.close()
      const kept = await read(logs.read('u', { container: 'c' }))
      expect(kept.length).toBeGreaterThan(9 * 2 ** 20)
      expect(kept.length).toBeLessThanOrEqual(10 * 2 ** 20)
      expect(kept.slice(-10)).toBe('xxthe end\n')
    })
  })

  it('end when the reader aborts', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const logs = new ContainerLogs(simulation.clock)
      logs.open('u', 'c').write(text('one\n'))
      const gone = new AbortController()
      const following = read(logs.read('u', { container: 'c', follow: true, signal: gone.signal }))
      await simulation.clock.sleep(10)
      gone.abort()
      expect(await following).toBe('one\n')
    })
  })
})
