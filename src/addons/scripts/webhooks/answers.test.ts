import { describe, expect, it } from 'vitest'
import { failed, resultWithout } from '../run/result.ts'
import type { RunResult } from '../run/types.ts'
import { admissionAnswer, conversionAnswer } from './answers.ts'

const ended = { exit: { code: 0, signal: undefined }, duration: 1 }
const left = (admission: string, conversion = ''): RunResult => ({
  ...resultWithout(ended),
  answers: { admission, conversion },
})
const broken = resultWithout({ ...ended, failure: failed('ExitCode', 'ended with code 1: no disk') })

describe('admissionAnswer', () => {
  const patch = btoa('[{"op":"remove","path":"/a"}]')

  it('[addons A1, A3] reads allowed, message, warnings and patch', () => {
    expect(admissionAnswer('a.sh', left('{"allowed":true}'))).toEqual({ allowed: true, warnings: [] })
    expect(admissionAnswer('a.sh', left('{"allowed":false,"message":"no","warnings":["w"]}'))).toEqual({
      allowed: false,
      message: 'no',
      warnings: ['w'],
    })
    const lines = `${patch.slice(0, 10)}\\n${patch.slice(10)}\\n`
    expect(admissionAnswer('a.sh', left(`{"allowed":true,"patch":"${lines}"}`))).toMatchObject({ patch })
    expect(admissionAnswer('a.ts', left('{"allowed":true,"patch":[{"op":"remove","path":"/a"}]}'))).toMatchObject({
      patch,
    })
  })

  it('splits warnings into lines, because API servers drop warnings with line breaks', () => {
    const { warnings } = admissionAnswer('a.sh', left('{"allowed":true,"warnings":["a\\n\\tb\\r\\n","","c\\td"]}'))
    expect(warnings).toEqual(['a', 'b', 'c d'])
    expect(admissionAnswer('a.sh', left('{"allowed":true,"warnings":null}')).warnings).toEqual([])
  })

  it.each([
    ['', 'hook a.sh left no answer in $VALIDATING_RESPONSE_PATH'],
    ['allowed: true\n', 'hook a.sh answered with something other than a JSON object: "allowed: true"'],
    ['{"allowed":tr', 'hook a.sh answered with something other than a JSON object: "{\\"allowed\\":tr"'],
    ['{"allow":true}', 'hook a.sh answered without "allowed": true or false'],
    ['{"allowed":true,"warnings":"w"}', 'hook a.sh answered with "warnings" that are not a list of strings'],
    ['{"allowed":true,"warnings":[5]}', 'hook a.sh answered with "warnings" that are not a list of strings'],
    ['{"allowed":true,"patch":"e30="}', 'hook a.sh answered with a "patch" that is not a JSON patch in base64'],
  ])('[addons A2] denies the request for the answer %j', (text, message) => {
    expect(admissionAnswer('a.sh', left(text))).toEqual({ allowed: false, message, warnings: [], isInvalid: true })
  })

  it('[addons A2] denies the request with the error of a failed hook', () => {
    const message = 'hook a.sh failed: ended with code 1: no disk'
    expect(admissionAnswer('a.sh', broken)).toEqual({ allowed: false, message, warnings: [] })
  })
})

describe('conversionAnswer', () => {
  it('reads the converted objects', () => {
    expect(conversionAnswer('a.sh', left('', '{"convertedObjects":[{"a":1}]}'), 1)).toEqual({ objects: [{ a: 1 }] })
  })

  it.each([
    ['', 'hook a.sh left no answer in $CONVERSION_RESPONSE_PATH'],
    ['{"convertedObjects":[]}', 'hook a.sh got 1 objects and answered with 0'],
    ['{}', 'hook a.sh answered neither "convertedObjects" nor "failedMessage"'],
  ])('[addons Z7] explains an invalid answer: %j', (text, reason) => {
    expect(conversionAnswer('a.sh', left('', text), 1)).toEqual({ failed: reason, isInvalid: true })
  })

  it('[addons Z7] returns the failedMessage of the hook', () => {
    const answer = conversionAnswer('a.sh', left('', '{"failedMessage":"no such colour"}'), 1)
    expect(answer).toEqual({ failed: 'no such colour' })
  })
})
