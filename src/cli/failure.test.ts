import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../test/cli/context.ts'
import { CarabinerError } from '../runtime/errors.ts'
import { createSimulation } from '../runtime/simulated/index.ts'
import { reportFailure } from './failure.ts'

function report(error: unknown, debug = false) {
  const { context, written } = recordedContext(createSimulation(1).runtime)
  return { code: reportFailure(error, context, { debug }), written: written() }
}

describe('reportFailure', () => {
  it('prints code, cause and remedy without a stack', () => {
    const cause = new Error('ENOENT', { cause: new Error('no such device') })
    const { code, written } = report(new CarabinerError('CRB_FILE_NOT_FOUND', 'there is no a.yaml', { cause }))
    expect(code).toBe(1)
    expect(written).toBe(
      'error CRB_FILE_NOT_FOUND: there is no a.yaml\n  cause: ENOENT\n  cause: no such device\n  what to do: Check the path.\n',
    )
  })

  it('prints the stack with --debug', () => {
    expect(report(new CarabinerError('CRB_USAGE', 'no'), true).written).toContain('failure.test.ts')
  })

  it('prints the stack of the cause of an internal error with --debug', () => {
    const { written } = report(new TypeError('x is not a function'), true)
    expect(written).toMatch(/TypeError: x is not a function\n +at .*failure\.test\.ts/)
  })

  it('escapes control characters of messages', () => {
    expect(report(new CarabinerError('CRB_USAGE', 'a\u001b[2Jb')).written).toContain('a\\u001b[2Jb')
  })

  it('reports any other exception as CRB_INTERNAL', () => {
    expect(report(new TypeError('x is not a function')).written).toContain('error CRB_INTERNAL: x is not a function')
  })

  it('prints nothing for errors of the command line parser', () => {
    expect(report(new CommanderError(0, 'commander.helpDisplayed', ''))).toEqual({ code: 0, written: '' })
    expect(report(new CommanderError(1, 'commander.unknownOption', ''))).toEqual({ code: 2, written: '' })
  })
})
