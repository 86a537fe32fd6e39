/** Every command that this program prints can be pasted, however it was started. */
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../test/cli/context.ts'
import { CarabinerError, errorTable } from '../runtime/index.ts'
import { createSimulation } from '../runtime/simulated/index.ts'
import { commandNames } from './command-names.ts'
import { reportFailure } from './failure.ts'
import { buildProgram, connect } from './program.ts'

const names = ['carabiner', 'npx carabiner', 'kubectl carabiner', 'node dist/bin/main.js']
/** Everything in the text that looks like the start of a command of this program. */
const mentions = (text: string) => [
  ...text.matchAll(
    new RegExp(String.raw`(?:npx |kubectl |node \S+|[\w./-]+/)?\bcarabiner(?= (?:${commandNames.join('|')})\b)`, 'g'),
  ),
]

describe.each(names)('started as %s', (programName) => {
  const recorded = () => recordedContext(createSimulation(1).runtime, { programName })

  it('the help of every command has that name alone', async () => {
    const { context, written } = recorded()
    const program = await buildProgram(context, 'every command')
    connect(program, context)
    const help = (command: Command) => {
      command.outputHelp()
      command.commands.forEach(help)
    }
    help(program)
    const text = written()
    expect(text.length).toBeGreaterThan(10_000)
    expect(text).toContain(`Usage: ${programName} rollout status [options] [policy]`)
    expect(mentions(text).filter(([mention]) => mention !== programName)).toEqual([])
  })

  it.each(Object.keys(errorTable) as (keyof typeof errorTable)[])('the remedy of %s has that name alone', (code) => {
    const { context, written } = recorded()
    reportFailure(new CarabinerError(code, 'try carabiner doctor'), context, { debug: false })
    expect(written()).toContain(`try ${programName} doctor`)
    expect(mentions(written()).filter(([mention]) => mention !== programName)).toEqual([])
  })
})
