/**
 * The reflector with faults of the network and the server, each on a real socket. After every fault the cache equals the server, no event
 * is lost or duplicated, and there is only the first list unless the server answered 410 or lost its storage.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { play as playScene, type Row, rows, type Scene, type SceneOptions } from './server/scenario.ts'
import { type Response, refuse, respond } from './server/server.ts'
import { Storage } from './server/storage.ts'
import { WatchStream } from './server/stream.ts'
import { printTable } from './server/table.ts'

afterAll(() => printTable(rows))

describe.each([
  { protocol: 'HTTP/1.1', http2: false },
  { protocol: 'HTTP/2', http2: true },
])('on $protocol', ({ protocol, http2 }) => {
  const play = (fault: string, act: (scene: Scene) => Promise<void>, options: Partial<SceneOptions> = {}) =>
    playScene(`${fault} (${protocol})`, { http2, ...options }, act)

  /** What must hold after every fault; the first list always counts. */
  function expectSound(row: Row, { relists = 0 } = {}): void {
    expect(row).toMatchObject({ lists: 1 + relists, lost: 0, doubled: 0 })
  }

  describe('faults of the connection', () => {
    it('recovers from a reset in the middle of an event', async () => {
      const row = await play('connection reset in mid-event', async ({ server, storage, watching, equal }) => {
        for (let round = 1; round <= 5; round++) {
          await watching(round)
          for (const stream of server.streams) {
            stream.intercept((self, line) => {
              self.write(line.subarray(0, line.length / 2))
              setImmediate(() => server.disconnect())
            })
          }
          storage.put(`round-${round}`)
          storage.put('first-0', { round: String(round) })
          await equal()
        }
        storage.delete('first-1')
      })
      expectSound(row)
    })

    it('reconnects when half an event is followed by silence', async () => {
      const row = await play('half an event, then silence', async ({ server, storage, clock, watching, until }) => {
        await watching(1)
        for (const stream of server.streams) {
          stream.intercept((self, line) => {
            self.write(line.subarray(0, 20))
            self.intercept(() => {})
          })
        }
        storage.put('half')
        storage.put('unsent')
        clock.advance(179_000)
        expect(server.count('watch')).toBe(1)
        clock.advance(2_000)
        await until('reconnect', () => server.count('watch') === 2)
      })
      expectSound(row)
    })

    it('reconnects after orderly ends of the watch', async () => {
      const row = await play('orderly ends', async ({ server, storage, watching, equal }) => {
        for (let round = 1; round <= 4; round++) {
          await watching(round)
          if (round > 2) storage.put(`round-${round}`)
          await equal()
          for (const stream of server.streams) stream.end()
        }
        await watching(5)
      })
      expectSound(row)
      expect(row.watches).toBe(5)
    })
  })

  describe('faults of the server', () => {
    it('lists again after 410 as an event or as a status', async () => {
      const row = await play('410 at once', async ({ server, storage, watching }) => {
        server.takeOver(
          'watch',
          (response) => {
            storage.put('before-event')
            // The socket stays open: only the event ends the watch.
            new WatchStream(response).error(410, 'Expired')
          },
          (response) => {
            storage.put('before-status')
            refuse(response, 410, 'Expired')
          },
        )
        await watching(3)
      })
      expectSound(row, { relists: 2 })
    })

    it('lists again when the history is compacted during a disconnect', async () => {
      const row = await play('410 later', async ({ server, storage, watching, equal }) => {
        await watching(1)
        storage.put('seen')
        await equal()
        for (const stream of server.streams) stream.intercept(() => server.disconnect())
        storage.put('unseen-1')
        storage.put('unseen-2')
        storage.delete('first-1')
        storage.forget()
        await equal()
      })
      expectSound(row, { relists: 1 })
    })

    it('resumes a quiet watch from the version of the last bookmark', async () => {
      const row = await play('bookmark, then end', async ({ server, storage, watching, equal }) => {
        await watching(1)
        storage.version += 500
        storage.forget()
        for (const stream of server.streams) stream.bookmark(storage.version)
        for (const stream of server.streams) stream.end()
        await watching(2)
        storage.put('after')
        await equal()
      })
      expectSound(row)
    })

    it('waits for Retry-After of a 429', async () => {
      const waits: number[] = []
      const row = await play('429 with Retry-After', async ({ server, storage, clock, watching }) => {
        let refusedAt = 0
        const slowDown = (response: Response) => {
          refusedAt = clock.monotonic()
          refuse(response, 429, 'TooManyRequests', { 'retry-after': '7' })
        }
        server.takeOver('watch', slowDown, (response) => {
          waits.push(clock.monotonic() - refusedAt)
          slowDown(response)
        })
        await watching(3)
        waits.push(clock.monotonic() - refusedAt)
        storage.put('after')
      })
      expectSound(row)
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(7_000)
    })

    it('retries after 429 without Retry-After', async () => {
      const row = await play('429 without Retry-After', async ({ server, storage, watching }) => {
        const slowDown = (response: Response) => refuse(response, 429, 'TooManyRequests')
        server.takeOver('watch', slowDown, slowDown)
        await watching(3)
        storage.put('after')
      })
      expectSound(row)
    })

    it('retries watches after bursts of 500, 502 and 503', async () => {
      const row = await play('500/502/503 bursts', async ({ server, storage, watching, equal }) => {
        const burst = [500, 502, 503, 500, 502, 503].map((code) => (response: Response) => {
          storage.put(`during-${code}`)
          response.writeHead(code, { 'content-type': 'text/html' })
          response.end('<html><body>Bad Gateway</body></html>')
        })
        server.takeOver('watch', ...burst)
        await watching(7)
        await equal()
      })
      expectSound(row)
    })

    it('retries the first list until it succeeds', async () => {
      const row = await play('500/502/503 on the list', async ({ server, storage, watching, equal }) => {
        for (const code of [500, 502, 503, 429])
          server.takeOver('list', (response) => refuse(response, code, 'Failure'))
        await watching(1)
        storage.put('after')
        await equal()
      })
      expect(row).toMatchObject({ lists: 5, watches: 1, lost: 0, doubled: 0 })
    })

    it('retries after HTML with status 200', async () => {
      const page = '<!DOCTYPE html>\n<html><body>Please log in</body></html>\n'
      const row = await play('HTML instead of JSON', async ({ server, storage, watching, equal }) => {
        const logIn = (response: Response) => {
          response.writeHead(200, { 'content-type': 'text/html' })
          response.end(page)
        }
        server.takeOver('watch', logIn, logIn)
        await watching(3)
        storage.put('after')
        await equal()
      })
      expectSound(row)
    })

    it('retries after an answer that is not a list', async () => {
      const row = await play('answer is not a list', async ({ server, watching }) => {
        server.takeOver('list', (response) => respond(response, 200, { kind: 'Surprise' }))
        await watching(1)
      })
      expect(row).toMatchObject({ lists: 2, lost: 0, doubled: 0 })
    })

    it('reconnects after invalid UTF-8 in an event', async () => {
      const row = await play('invalid UTF-8', async ({ server, storage, watching, equal }) => {
        await watching(1)
        for (const stream of server.streams) {
          stream.intercept((self, line) => {
            const spoiled = Buffer.from(line)
            spoiled[spoiled.indexOf('grüße') + 2] = 0xff
            self.write(spoiled)
          })
        }
        storage.put('words', { text: 'grüße' })
        await equal()
        storage.put('after', { text: 'grüße' })
      })
      expectSound(row)
      expect(row.watches).toBe(2)
    })

    it('receives an event larger than 10 MB', async () => {
      const row = await play('event larger than 10 MB', async ({ storage, watching, equal }) => {
        await watching(1)
        storage.put('huge', { blob: 'x'.repeat(11_000_000) })
        await equal()
        storage.put('after')
      })
      expectSound(row)
      expect(row.watches).toBe(1)
    })

    it('reconnects without a list after an error event other than 410', async () => {
      const row = await play('error event 500', async ({ server, storage, watching, equal }) => {
        await watching(1)
        for (const stream of server.streams) stream.error(500, 'InternalError')
        storage.put('after')
        await watching(2)
        await equal()
      })
      expectSound(row)
    })
  })

  describe('a server with replaced storage', () => {
    const renew = ({ server, storage, ledger }: Scene): Storage => {
      const fresh = new Storage(10)
      fresh.put('first-0')
      fresh.put('newcomer')
      ledger.followInstead(storage, fresh)
      ledger.followChanges(fresh)
      server.storage = fresh
      return fresh
    }

    it('is detected after a lost connection', async () => {
      const row = await play('new storage, versions go back', async (scene) => {
        const { server, watching, until, equal } = scene
        await watching(1)
        await server.stop()
        const fresh = renew(scene)
        await until('refused', () => true)
        await server.start()
        await equal()
        await watching(2)
        fresh.put('alive')
      })
      expectSound(row, { relists: 1 })
    })

    it('is detected by the watchdog after an orderly end of the connection', async () => {
      const row = await play('new storage after an orderly end', async (scene) => {
        const { server, clock, watching, equal } = scene
        await watching(1)
        const fresh = renew(scene)
        for (const stream of server.streams) stream.end()
        await watching(2)
        clock.advance(181_000)
        await equal()
        fresh.put('alive')
      })
      expectSound(row, { relists: 1 })
    })

    it('is detected by the error ResourceVersionTooLarge', async () => {
      const row = await play('too large resource version', async (scene) => {
        const { server, watching, equal } = scene
        await watching(1)
        const fresh = renew(scene)
        const details = { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] }
        for (const stream of server.streams) stream.error(504, 'Timeout', details)
        await equal()
        fresh.put('alive')
      })
      expectSound(row, { relists: 1 })
    })
  })

  describe('changed credentials', () => {
    it('continues when a new token is written after the old one expired', async () => {
      const row = await play('token expiry', async ({ server, storage, access, watching, until, equal }) => {
        await watching(1)
        expect(server.requests.at(-1)?.protocol).toBe(http2 ? '2.0' : '1.1')
        server.token = 'second'
        server.disconnect()
        storage.put('while-locked-out')
        const asked = server.requests.length
        await until('refused several times', () => server.requests.length > asked + 3)
        access.writeToken('second')
        await equal()
        storage.put('after')
      })
      expectSound(row)
    })

    it('accepts a new server certificate, and one of a new CA once the CA file has it', async () => {
      const row = await play(
        'certificate rotation',
        async ({ server, storage, access, clock, watching, until, equal }) => {
          await watching(1)
          server.present(access.certificate())
          storage.put('after-certificate')
          await equal()
          await watching(2)
          access.renewAuthority()
          server.present(access.certificate())
          storage.put('while-untrusted')
          const before = clock.monotonic()
          await until('back-off after distrust', () => clock.monotonic() > before + 1_000)
          access.publish()
          await equal()
          await watching(3)
          storage.put('after-authority')
        },
      )
      expectSound(row)
    })
  })

  describe('time and load', () => {
    it('is not affected by clock jumps', async () => {
      const row = await play('clock jumps both ways', async ({ clock, storage, watching, equal }) => {
        await watching(1)
        for (const [index, days] of [30, -60, 365].entries()) {
          clock.jump(days * 86_400_000)
          storage.put(`jump-${index}`)
          await equal()
        }
      })
      expectSound(row)
      expect(row.watches).toBe(1)
    })

    it('lists 50,000 objects in pages', async () => {
      const objects = 50_000
      const row = await play(
        '50,000 objects',
        async ({ server, storage, cache, watching }) => {
          await watching(1)
          expect(cache.size).toBe(objects)
          expect(server.count('page')).toBe(99)
          storage.delete('first-49999')
        },
        { objects },
      )
      expectSound(row)
    })

    it('receives 5,000 events per second', async () => {
      let rate = 0
      const row = await play('watch storm, 5,000 events/s', async ({ storage, watching, equal }) => {
        await watching(1)
        const begun = performance.now()
        for (let sent = 0; sent < 10_000; ) {
          const due = Math.floor((performance.now() - begun) * 5)
          while (sent < Math.min(due, 10_000)) storage.put(`storm-${sent++ % 700}`, { n: String(sent) })
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        await equal()
        rate = 10_000 / ((performance.now() - begun) / 1000)
      })
      expectSound(row)
      expect(row.watches).toBe(1)
      expect(rate).toBeGreaterThan(4_000)
    })
  })
})
