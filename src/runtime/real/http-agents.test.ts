import type { Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import { HttpAgents } from './http-agents.ts'

function createWorld(maxAgents: number) {
  const log: string[] = []
  const finish = new Map<string, () => void>()
  const create = ({ origin }: { readonly origin: string }) => {
    log.push(`create ${origin}`)
    const closed = new Promise<void>((resolve) => finish.set(origin, resolve))
    return {
      close: () => {
        log.push(`close ${origin}`)
        return closed
      },
      destroy: () => {
        log.push(`destroy ${origin}`)
        return Promise.resolve()
      },
    } as Pick<Dispatcher, 'close' | 'destroy'> as Dispatcher
  }
  return { agents: new HttpAgents(create, maxAgents), log, finish }
}

describe('HttpAgents', () => {
  it('keeps one agent per endpoint', () => {
    const { agents, log } = createWorld(2)
    expect(agents.of({ origin: 'a' })).toBe(agents.of({ origin: 'a' }))
    expect(agents.of({ origin: 'a', proxy: 'p' })).not.toBe(agents.of({ origin: 'a' }))
    expect(log).toEqual(['create a', 'create a'])
  })

  it('closes the least recently used agent when there are too many', () => {
    const { agents, log } = createWorld(2)
    for (const origin of ['a', 'b', 'a', 'c']) agents.of({ origin })
    expect(log).toEqual(['create a', 'create b', 'create c', 'close b'])
  })

  it('destroys agents in use and those whose last requests still run', async () => {
    const { agents, log, finish } = createWorld(1)
    for (const origin of ['a', 'b', 'c']) agents.of({ origin })
    finish.get('a')?.()
    await new Promise((resolve) => setImmediate(resolve))
    log.length = 0
    await agents.destroy()
    expect(log).toEqual(['destroy c', 'destroy b'])
  })
})
