import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../errors.ts'
import { createRealLog, type LogOptions } from './log.ts'

function lines(options: LogOptions, use: (log: ReturnType<typeof createRealLog>) => void): string[] {
  const written: string[] = []
  use(createRealLog({ ...options, write: (line) => written.push(line) }))
  return written
}

const jsonOf = (use: (log: ReturnType<typeof createRealLog>) => void): Record<string, unknown> =>
  JSON.parse(lines({}, use)[0] ?? '') as Record<string, unknown>

describe('JSON logs', () => {
  it('have level, time, message and fields, including inherited fields', () => {
    const line = jsonOf((log) => log.with({ hook: 'a' }).warn('hook failed', { attempt: 2 }))
    expect(line).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      hook: 'a',
      attempt: 2,
      msg: 'hook failed',
    })
  })

  it('omit lines below the level', () => {
    const written = lines({ volume: { level: 'warn' } }, (log) => {
      log.debug('no')
      log.info('no')
      log.warn('yes')
      log.error('yes')
    })
    expect(written).toHaveLength(2)
  })

  it('contain code and cause of an error', () => {
    const cause = new Error('disk full')
    const line = jsonOf((log) =>
      log.error('failed', { error: new CarabinerError('CRB_INTERNAL', 'broken', { cause }) }),
    )
    expect(line['error']).toMatchObject({ code: 'CRB_INTERNAL', message: 'broken', cause: { message: 'disk full' } })
  })

  it('have a stack for defects of the program, and otherwise only with level debug', () => {
    const error = new CarabinerError('CRB_USAGE', 'too few words', { cause: new Error('none') })
    const of = (level: 'info' | 'debug', use: (log: ReturnType<typeof createRealLog>) => void) =>
      lines({ volume: { level } }, use).join('')
    for (const fails of [error, new Error('no luck')]) {
      expect(of('info', (log) => log.warn('failed', { error: fails }))).not.toContain('stack')
      expect(of('debug', (log) => log.warn('failed', { error: fails }))).toContain('"stack":"')
    }
    expect(of('info', (log) => log.error('failed', { error }))).not.toContain('stack')
    expect(of('info', (log) => log.error('failed', { error: new Error('no luck') }))).toContain('"stack":"')
    const defect = new CarabinerError('CRB_INTERNAL', 'broken', { cause: new Error('none') })
    expect(of('info', (log) => log.error('failed', { error: defect })).match(/"stack":"/g)).toHaveLength(2)
    expect(of('info', (log) => log.warn('failed', { error }))).toContain('"cause":{"name":"Error","message":"none"}')
  })

  it('accept a field that contains itself', () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle['self'] = circle
    expect(jsonOf((log) => log.info('round', { circle }))['msg']).toBe('round')
  })
})

describe('text logs', () => {
  it('show control characters of messages and fields instead of obeying them', () => {
    const [line = ''] = lines({ format: 'text', time: false }, (log) =>
      log.info('\u001b[2Jgone', { hook: 'a\u001b[1A', object: 'b\u009b', list: ['c\u202e'] }),
    )
    expect(line).toBe('INFO  \\u001b[2Jgone hook="a\\u001b[1A" object="b\\u009b" list=["c\\u202e"]\n')
  })
})

describe('credentials', () => {
  const shown = (fields: Record<string, unknown>): string => lines({}, (log) => log.info('x', fields)).join('')

  it.each([
    'token',
    'password',
    'adminPassword',
    'client_secret',
    'Authorization',
    'apiKey',
    'api-key',
    'client-key-data',
    'privateKey',
    'set-cookie',
    'access_token',
    'AWS_SECRET_ACCESS_KEY',
  ])('never appear in a field named %s, at any depth', (name) => {
    expect(shown({ [name]: 'hunter2' })).not.toContain('hunter2')
    expect(shown({ deep: [{ [name]: { inner: 'hunter2' } }] })).not.toContain('hunter2')
    expect(lines({}, (log) => log.with({ [name]: 'hunter2' }).info('x')).join('')).not.toContain('hunter2')
  })

  it.each(['secretName', 'tokenFile', 'key', 'passed'])('are not assumed in a field named %s', (name) => {
    expect(shown({ [name]: 'plain' })).toContain('plain')
  })

  it('are redacted when a whole Secret is logged', () => {
    const secret = {
      kind: 'Secret',
      metadata: { name: 'db' },
      data: { user: 'aHVudGVyMg==' },
      stringData: { user: 'hunter2' },
    }
    const line = shown({ object: secret })
    expect(line).toContain('db')
    expect(line).not.toContain('hunter2')
    expect(line).not.toContain('aHVudGVyMg==')
  })

  it('are not assumed in a boolean', () => {
    expect(shown({ hasToken: true })).toContain('true')
  })

  it.each([
    'Bearer abc.def-ghi',
    'Basic dXNlcjpwYXNz',
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl',
    '-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----',
  ])('are recognised by themselves: %s', (secret) => {
    const text = lines({}, (log) =>
      log.info(`sent ${secret}`, { header: secret, error: new Error(`refused ${secret}`) }),
    ).join('')
    expect(text).toContain('[redacted]')
    for (const part of secret
      .split(/[\s\n]+/)
      .filter((word) => !/^(Bearer|Basic|-----.*|EC|PRIVATE|KEY-----)$/.test(word))) {
      expect(text).not.toContain(part)
    }
  })
})

describe('text logs', () => {
  const text = (use: (log: ReturnType<typeof createRealLog>) => void, color = false): string =>
    lines({ format: 'text', volume: { level: 'debug' }, color }, use)
      .join('')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')

  it('have time, level, message and fields', () => {
    const shown = text((log) => {
      log.info('ready', { port: 9115, url: 'http://127.0.0.1:9115', note: 'two words' })
      log.debug('detail', { list: [1, 2] })
    })
    expect(shown).toBe(
      'TIME INFO  ready port=9115 url=http://127.0.0.1:9115 note="two words"\nTIME DEBUG detail list=[1,2]\n',
    )
  })

  it('have date and time like JSON logs, or none when switched off', () => {
    const [line = ''] = lines({ format: 'text' }, (log) => log.info('ready'))
    const [stamp = ''] = line.split(' ')
    expect(new Date(stamp).toISOString()).toBe(stamp)
    expect(lines({ format: 'text', time: false }, (log) => log.info('ready'))).toEqual(['INFO  ready\n'])
  })

  it('show the message of an error first and its stack below', () => {
    const shown = text((log) => log.error('failed', { error: new Error('no luck') })).split('\n')
    expect(shown[0]).toBe('TIME ERROR failed error="no luck"')
    expect(shown[1]).toMatch(/^ +at /)
  })

  it('show the remedy of an error instead of its stack', () => {
    const error = new CarabinerError('CRB_USAGE', 'too few words', { remedy: 'Say more.' })
    expect(text((log) => log.error('failed', { error }))).toBe(
      'TIME ERROR failed error="too few words" remedy="Say more."\n',
    )
  })

  it('show the stacks of an internal error and of its causes', () => {
    const cause = new TypeError('x is not a function')
    const error = new CarabinerError('CRB_INTERNAL', 'broken', { cause, remedy: 'Report it.' })
    const shown = text((log) => log.error('failed', { error })).split('\n')
    expect(shown[0]).toBe('TIME ERROR failed error=broken remedy="Report it."')
    expect(shown[1]).toMatch(/^ +at .*log\.test\.ts/)
    const caused = shown.indexOf('caused by: x is not a function')
    expect(shown[caused + 1]).toMatch(/^ +at .*log\.test\.ts/)
  })

  it('are coloured only on request', () => {
    const start = String.fromCharCode(27)
    expect(text((log) => log.warn('x'))).not.toContain(start)
    expect(text((log) => log.warn('x'), true)).toContain(`${start}[33mWARN`)
  })
})
