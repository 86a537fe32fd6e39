/** The common contract of both runtimes: each test runs with Node.js and in a simulation. */
import { describe, expect, it } from 'vitest'
import { createSimulation, type HttpBody, type HttpHandler, type HttpResponse, type Runtime } from './public.ts'
import { createRealRuntime } from './real/index.ts'

const worlds: { readonly name: string; readonly live: <T>(life: (runtime: Runtime) => Promise<T>) => Promise<T> }[] = [
  {
    name: 'real',
    live: async (life) => {
      const runtime = createRealRuntime({ log: { write: () => undefined } })
      try {
        return await life(runtime)
      } finally {
        await runtime.close()
      }
    },
  },
  {
    name: 'simulated',
    live: (life) => {
      const simulation = createSimulation(1)
      return simulation.run(() => life(simulation.runtime))
    },
  },
]

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

async function textOf({ body }: HttpResponse): Promise<string> {
  if (body instanceof Uint8Array) return decode(body)
  let text = ''
  for await (const chunk of body) text += decode(chunk)
  return text
}

function streamOf({ body }: HttpResponse): HttpBody {
  if (body instanceof Uint8Array) throw new TypeError('the body is not a stream')
  return body
}

describe.each(worlds)('the $name runtime', ({ live }) => {
  describe('clock', () => {
    it('fires timers in the order they are due and never a cancelled one', () =>
      live(async ({ clock }) => {
        const fired: string[] = []
        clock.after(20, () => fired.push('later'))
        clock.after(1, () => fired.push('sooner'))
        clock.after(5, () => fired.push('cancelled')).cancel()
        await clock.sleep(60)
        expect(fired).toEqual(['sooner', 'later'])
      }))

    it('sleeps for the given time on both clocks', () =>
      live(async ({ clock }) => {
        const [wall, steady] = [clock.now(), clock.monotonic()]
        await clock.sleep(20)
        // Timers of Node.js may fire up to a millisecond early.
        expect(clock.monotonic() - steady).toBeGreaterThanOrEqual(19)
        expect(clock.now() - wall).toBeGreaterThanOrEqual(19)
      }))

    it('sleep rejects with the reason of its signal, before and during the sleep', () =>
      live(async ({ clock }) => {
        await expect(clock.sleep(1e9, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
        const controller = new AbortController()
        const sleep = clock.sleep(1e9, controller.signal)
        controller.abort(new Error('woken'))
        await expect(sleep).rejects.toThrow('woken')
      }))
  })

  it('draws numbers, bytes and UUIDs', () =>
    live(async ({ random }) => {
      for (let round = 0; round < 100; round++) {
        const number = random.next()
        expect(number >= 0 && number < 1).toBe(true)
      }
      expect(random.bytes(7)).toHaveLength(7)
      expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(random.uuid()).not.toBe(random.uuid())
    }))

  describe('files', () => {
    const inFolder = (work: (runtime: Runtime, folder: string) => Promise<void>): Promise<void> =>
      live(async (runtime) => {
        const folder = await runtime.files.makeTemporary('worlds-')
        try {
          await work(runtime, folder)
        } finally {
          await runtime.files.remove(folder)
        }
      })

    it('writes, appends, reads and returns facts', () =>
      inFolder(async ({ files }, folder) => {
        const path = `${folder}/note`
        await files.write(path, 'one', { mode: 0o600 })
        await files.append(path, encode(' två'))
        expect(await files.readText(path)).toBe('one två')
        expect(decode(await files.read(path))).toBe('one två')
        expect(decode(await files.read(path, 3))).toBe('one')
        expect(await files.facts(path)).toMatchObject({ kind: 'file', size: 8, mode: 0o600 })
        expect(await files.facts(folder)).toMatchObject({ kind: 'directory', mode: 0o700 })
        expect(await files.facts(`${folder}/nothing`)).toBeUndefined()
        expect(await files.facts(`${path}/below-a-file`)).toBeUndefined()
      }))

    it('lists names by code point, not by UTF-16 unit', () =>
      inFolder(async ({ files }, folder) => {
        const names = ['b', 'B', 'ab', 'a', '\u{1f40d}', '\uff5e']
        for (const name of names) await files.write(`${folder}/${name}`, '')
        await files.makeDirectory(`${folder}/deep/er`)
        expect(await files.list(folder)).toEqual(['B', 'a', 'ab', 'b', 'deep', '\uff5e', '\u{1f40d}'])
        expect(await files.list(`${folder}/deep`)).toEqual(['er'])
      }))

    it('rename replaces an existing file; remove removes whole folders and accepts missing ones', () =>
      inFolder(async ({ files }, folder) => {
        await files.makeDirectory(`${folder}/from/sub`)
        await files.write(`${folder}/from/sub/file`, 'x')
        await files.rename(`${folder}/from`, `${folder}/to`)
        expect(await files.readText(`${folder}/to/sub/file`)).toBe('x')
        await files.remove(`${folder}/to`)
        await files.remove(`${folder}/to`)
        expect(await files.list(folder)).toEqual([])
      }))

    it('a growing file is for this user alone, keeps its content under another name, and takes no path that exists', () =>
      inFolder(async ({ files }, folder) => {
        const file = await files.createAppend(`${folder}/log`)
        await file.append(encode('one '))
        await file.sync()
        await files.rename(`${folder}/log`, `${folder}/renamed`)
        await file.append(encode('two'))
        await files.syncDirectory(folder)
        await file.close()
        expect(await files.readText(`${folder}/renamed`)).toBe('one two')
        expect(await files.facts(`${folder}/renamed`)).toMatchObject({ mode: 0o600, owned: true })
        await expect(files.createAppend(`${folder}/renamed`)).rejects.toMatchObject({ code: 'CRB_FILE_UNREADABLE' })
        await expect(files.createAppend(`${folder}/no/log`)).rejects.toMatchObject({ code: 'CRB_FILE_NOT_FOUND' })
      }))

    it('a lock has one holder at a time', () =>
      inFolder(async ({ files }, folder) => {
        const path = `${folder}/${'deep'.repeat(30)}`
        const both = await Promise.all([files.lock(path), files.lock(path)])
        const [first] = both.filter((lock) => lock !== undefined)
        expect(both.filter((lock) => lock === undefined)).toHaveLength(1)
        expect(await files.lock(path)).toBeUndefined()
        await first?.release()
        const second = await files.lock(path)
        expect(second).toBeDefined()
        await second?.release()
        expect(await files.list(path)).toEqual([])
      }))

    it('errors name the path and what is wrong with it', () =>
      inFolder(async ({ files }, folder) => {
        const missing = `${folder}/missing`
        const absent = { code: 'CRB_FILE_NOT_FOUND', message: expect.stringContaining(missing) }
        await expect(files.read(missing)).rejects.toMatchObject(absent)
        await expect(files.list(missing)).rejects.toMatchObject(absent)
        await expect(files.rename(missing, folder)).rejects.toMatchObject(absent)
        await expect(files.write(`${missing}/file`, '')).rejects.toMatchObject(absent)
        await expect(files.read(folder)).rejects.toMatchObject({ code: 'CRB_FILE_UNREADABLE' })
        await expect(files.write(folder, '')).rejects.toMatchObject({ code: 'CRB_FILE_UNREADABLE' })
      }))

    it('renew empties a private folder and refuses one with unknown files', () =>
      inFolder(async ({ files }, folder) => {
        const used = await files.makePrivate(folder, ['in', 'out'])
        await used.write('in', 'a long text')
        await files.write(`${used.path}/out`, 'an answer')
        expect(await used.renew()).toBe(true)
        await used.write('in', 'short')
        expect(await used.readNonEmpty(['in', 'out'])).toEqual({ in: 'short' })
        expect(await files.facts(`${used.path}/out`)).toMatchObject({ size: 0, mode: 0o600 })
        await files.write(`${used.path}/more`, '')
        expect(await used.renew()).toBe(false)
        await files.remove(`${used.path}/more`)
        await files.remove(`${used.path}/in`)
        expect(await used.renew()).toBe(false)
      }))

    it('renew keeps written files until the next write', () =>
      inFolder(async ({ files }, folder) => {
        const used = await files.makePrivate(folder, ['in', 'out'])
        await used.write('in', 'a text')
        await files.write(`${used.path}/out`, 'an answer')
        const before = used.path
        expect(await used.renew()).toBe(true)
        expect(used.path).not.toBe(before)
        expect(await files.facts(before)).toBeUndefined()
        expect(await used.readNonEmpty(['in', 'out'])).toEqual({ in: 'a text' })
      }))

    it.each<[string, (runtime: Runtime, path: string) => Promise<void>]>([
      ['large', ({ files }, path) => files.write(path, 'x'.repeat(64 * 1024 + 1))],
      [
        'readable to others',
        async ({ files }, path) => {
          await files.remove(path)
          await files.write(path, '', { mode: 0o644 })
        },
      ],
      [
        'a folder',
        async ({ files }, path) => {
          await files.remove(path)
          await files.makeDirectory(path)
        },
      ],
    ])('does not renew a private folder in which a file has become %s', (_, change) =>
      inFolder(async (runtime, folder) => {
        const used = await runtime.files.makePrivate(folder, ['in', 'out'])
        await change(runtime, `${used.path}/out`)
        expect(await used.renew()).toBe(false)
      }),
    )

    it('a private folder accepts only the files it was created with', () =>
      inFolder(async ({ files }, folder) => {
        const used = await files.makePrivate(folder, ['in'])
        await files.remove(`${used.path}/in`)
        await expect(used.write('in', 'x')).rejects.toMatchObject({ code: 'CRB_FILE_NOT_FOUND' })
        expect(await files.list(used.path)).toEqual([])
      }))

    it('private folders start with empty files, return the non-empty ones and are removed with all content', () =>
      inFolder(async ({ files }, folder) => {
        const made = await Promise.all(Array.from({ length: 5 }, () => files.makePrivate(folder, ['a', 'b', 'c'])))
        const [one, other] = made
        if (one === undefined || other === undefined) throw new Error('nothing was made')
        expect(one.path).not.toBe(other.path)
        expect(await files.facts(one.path)).toMatchObject({ kind: 'directory', mode: 0o700 })
        expect(await files.facts(`${one.path}/a`)).toMatchObject({ size: 0, mode: 0o600, link: false })
        await one.write('a', 'text')
        await files.write(`${one.path}/d`, 'an unknown file')
        await files.remove(`${one.path}/c`)
        expect(await one.readNonEmpty(['a', 'b', 'c'])).toEqual({ a: 'text' })
        await Promise.all(made.map((each) => each.remove()))
        for (const { path } of made) expect(await files.facts(path)).toBeUndefined()
        await expect(files.makePrivate(`${folder}/nowhere`, [])).rejects.toThrow('no such file or directory')
      }))
  })

  describe('http', () => {
    const serving = (
      handler: (runtime: Runtime) => HttpHandler,
      work: (runtime: Runtime, origin: string) => Promise<void>,
    ): Promise<void> =>
      live(async (runtime) => {
        const listener = await runtime.http.listen({ host: '127.0.0.1', port: 0 }, handler(runtime))
        try {
          await work(runtime, `http://127.0.0.1:${listener.port}`)
        } finally {
          await listener.close()
        }
      })

    it('transports method, target, headers and body of a request, and status, headers and body of the response', () =>
      serving(
        () => async (request) => ({
          status: 207,
          headers: {
            'x-method': request.method,
            'x-target': request.target,
            'x-seen': request.headers['x-sent'] ?? '',
            'x-letters': 'a ü 日本',
          },
          body: request.body ?? encode('empty'),
        }),
        async ({ http }, origin) => {
          const request = {
            method: 'PATCH',
            target: '/a/b?c=d%20e',
            headers: { 'x-sent': 'yes' },
            body: encode('{"x":1}'),
          }
          const answer = await http.request({ origin }, request)
          expect(answer.status).toBe(207)
          expect(answer.headers).toMatchObject({ 'x-method': 'PATCH', 'x-target': '/a/b?c=d%20e', 'x-seen': 'yes' })
          expect(answer.headers['x-letters']).toBe('a ü 日本')
          expect(await textOf(answer)).toBe('{"x":1}')
          expect(await textOf(await http.request({ origin }, { method: 'GET', target: '/', headers: {} }))).toBe(
            'empty',
          )
        },
      ))

    it('streams a response chunk by chunk and ends it', () =>
      serving(
        ({ clock }) =>
          async () => ({
            status: 200,
            headers: {},
            body: (async function* () {
              for (const part of ['a', 'b', 'c']) {
                yield encode(part)
                await clock.sleep(1)
              }
            })(),
          }),
        async ({ http }, origin) => {
          expect(await textOf(await http.request({ origin }, { method: 'GET', target: '/', headers: {} }))).toBe('abc')
        },
      ))

    it('closes the source of a stream when the reader stops', async () => {
      let seen: (how: string) => void = () => undefined
      const gone = new Promise<string>((resolve) => {
        seen = resolve
      })
      await serving(
        ({ clock }) =>
          async ({ signal }) => ({
            status: 200,
            headers: {},
            body: (async function* () {
              signal?.addEventListener('abort', () => seen('aborted'))
              yield encode('first')
              await clock.sleep(1e9, signal)
            })(),
          }),
        async ({ http }, origin) => {
          const answer = await http.request({ origin }, { method: 'GET', target: '/', headers: {} })
          for await (const chunk of streamOf(answer)) {
            expect(decode(chunk)).toBe('first')
            break
          }
          expect(await gone).toBe('aborted')
        },
      )
    })

    it('a cancelled request rejects with the reason and aborts the signal of the handler', async () => {
      const controller = new AbortController()
      let aborted: () => void = () => undefined
      const heard = new Promise<void>((resolve) => {
        aborted = resolve
      })
      await serving(
        ({ clock }) =>
          (request) =>
            new Promise(() => {
              request.signal?.addEventListener('abort', () => aborted())
              clock.after(1, () => controller.abort(new Error('no longer interested')))
            }),
        async ({ http }, origin) => {
          const request = { method: 'GET', target: '/', headers: {}, signal: controller.signal }
          await expect(http.request({ origin }, request)).rejects.toThrow('no longer interested')
          await heard
        },
      )
    })

    it('a stream whose source fails breaks instead of ending normally', () =>
      serving(
        ({ clock }) =>
          async () => ({
            status: 200,
            headers: {},
            body: (async function* () {
              yield encode('half')
              await clock.sleep(1)
              throw new Error('source failed')
            })(),
          }),
        async ({ http }, origin) => {
          const answer = await http.request({ origin }, { method: 'GET', target: '/', headers: {} })
          await expect(textOf(answer)).rejects.toThrow()
        },
      ))

    it('answers 500 when a handler fails and keeps serving', () =>
      serving(
        () => (request) =>
          request.target === '/bad'
            ? Promise.reject(new Error('no'))
            : Promise.resolve({ status: 200, headers: {}, body: encode('fine') }),
        async ({ http }, origin) => {
          expect((await http.request({ origin }, { method: 'GET', target: '/bad', headers: {} })).status).toBe(500)
          expect(await textOf(await http.request({ origin }, { method: 'GET', target: '/', headers: {} }))).toBe('fine')
        },
      ))

    it('fails on a port in use and names it', () =>
      live(async ({ http }) => {
        const handler: HttpHandler = async () => ({ status: 200, headers: {}, body: new Uint8Array() })
        const first = await http.listen({ host: '127.0.0.1', port: 0 }, handler)
        const again = { host: '127.0.0.1', port: first.port, flag: '--port' }
        await expect(http.listen(again, handler)).rejects.toMatchObject({
          code: 'CRB_PORT_IN_USE',
          message: expect.stringMatching(`^cannot listen on 127.0.0.1:${first.port}: the port is in use`),
          remedy: 'Stop that program, or choose another port with --port NUMBER; 0 takes any free port.',
        })
        await first.close()
        await (await http.listen({ host: '127.0.0.1', port: first.port }, handler)).close()
      }))

    it('serves on a unix socket that only one process at a time can use', () =>
      live(async ({ http, files }) => {
        const folder = await files.makeTemporary('socket-')
        const socket = `${folder}/deep/debug.socket`
        const handler: HttpHandler = async ({ target }) => ({ status: 200, headers: {}, body: encode(target) })
        const listener = await http.listen({ socket }, handler)
        await expect(http.listen({ socket }, handler)).rejects.toMatchObject({ code: 'CRB_PORT_IN_USE' })
        const endpoint = { origin: 'http://localhost', socket }
        const request = { method: 'GET', target: '/queue/list.json', headers: {} }
        expect(await textOf(await http.request(endpoint, request))).toBe('/queue/list.json')
        await listener.close()
        await expect(http.request(endpoint, request)).rejects.toThrow()
        await files.remove(folder)
      }))

    it('closing a listener ends open streams and refuses further connections', () =>
      live(async ({ http, clock }) => {
        const listener = await http.listen({ host: '127.0.0.1', port: 0 }, async ({ signal }) => ({
          status: 200,
          headers: {},
          body: (async function* () {
            yield encode('x')
            await clock.sleep(1e9, signal)
          })(),
        }))
        const origin = `http://127.0.0.1:${listener.port}`
        const stream = streamOf(await http.request({ origin }, { method: 'GET', target: '/', headers: {} }))[
          Symbol.asyncIterator
        ]()
        await stream.next()
        await listener.close()
        const rest = await stream.next().then(
          ({ done }) => (done ? 'ended' : 'more'),
          () => 'broken',
        )
        expect(rest).not.toBe('more')
        await expect(http.request({ origin }, { method: 'GET', target: '/', headers: {} })).rejects.toMatchObject({
          code: 'ECONNREFUSED',
        })
      }))
  })

  it('renders metrics in the Prometheus text format, each name once', () =>
    live(async ({ metrics }) => {
      metrics.counter({ name: 'runs_total', help: 'Runs.', labels: ['hook'] }).add(2, { hook: 'a"b' })
      metrics.counter({ name: 'runs_total', help: 'Runs.', labels: ['hook'] }).add(1, { hook: 'a"b' })
      const gauge = metrics.gauge({ name: 'queue_length', help: 'Length.', labels: ['queue'] })
      gauge.set(5, { queue: 'main' })
      gauge.add(-2, { queue: 'main' })
      gauge.set(1, { queue: 'gone' })
      gauge.remove({ queue: 'gone' })
      metrics.counter({ name: 'never_total', help: 'Never.' })
      const histogram = metrics.histogram({ name: 'run_seconds', help: 'Seconds.', labels: ['hook'], buckets: [1, 5] })
      histogram.observe(0.5, { hook: 'a' })
      histogram.observe(3, { hook: 'a' })
      expect(() => metrics.gauge({ name: 'runs_total', help: 'Runs.' })).toThrow('runs_total')
      expect(await metrics.render()).toBe(`# HELP runs_total Runs.
# TYPE runs_total counter
runs_total{hook="a\\"b"} 3

# HELP queue_length Length.
# TYPE queue_length gauge
queue_length{queue="main"} 3

# HELP never_total Never.
# TYPE never_total counter
never_total 0

# HELP run_seconds Seconds.
# TYPE run_seconds histogram
run_seconds_bucket{le="1",hook="a"} 1
run_seconds_bucket{le="5",hook="a"} 2
run_seconds_bucket{le="+Inf",hook="a"} 2
run_seconds_sum{hook="a"} 3.5
run_seconds_count{hook="a"} 2
`)
    }))

  it('runs work in a span and rethrows its exception', () =>
    live(async ({ traces }) => {
      const result = await traces.span('work', async (span) => {
        span.set({ step: 1 })
        return 'done'
      })
      expect(result).toBe('done')
      await expect(traces.span('work', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    }))
})
