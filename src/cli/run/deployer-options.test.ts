import { Command } from 'commander'
import { expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { stockDeployers } from '../../deployers/index.ts'
import { stockNames } from '../../deployers/stock/names.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { explainCommand } from '../item/explain.ts'
import { deployerOptions } from './deployer-options.ts'

function outputOf(command: Command, args: readonly string[]): string {
  const texts: string[] = []
  command.exitOverride().configureOutput({ writeErr: (text) => texts.push(text), writeOut: (text) => texts.push(text) })
  try {
    command.parse(args, { from: 'user' })
  } catch {
    // Commander prints the reason.
  }
  return texts.join('').replace(/\s+/g, ' ')
}

function withDeployers(): Command {
  const command = new Command('run')
  deployerOptions(command)
  return command.action(() => undefined)
}

it('list all stock deployers', () => {
  expect(outputOf(withDeployers(), ['--help'])).toContain(`these stock deployers: ${stockNames.join(', ')}, separated`)
  const made = stockDeployers({} as never).map(({ name }) => name.split('.')[0])
  expect(made).toEqual(stockNames)
})

it('are set by names or by a file, not by both', () => {
  expect(outputOf(withDeployers(), ['--deployers', 'helm'])).toBe('')
  expect(outputOf(withDeployers(), ['--deployers', 'helm', '--deployers-config', 'a.yaml'])).toContain(
    'cannot be used with',
  )
})

it('--deployers and --deployers-config exclude each other', () => {
  const explain = explainCommand(recordedContext(createSimulation(1).runtime).context)
  const args = ['item', '--operator', 'http://127.0.0.1:9115', '--deployers-config', 'a.yaml']
  expect(outputOf(explain, args)).toContain('cannot be used with')
})
