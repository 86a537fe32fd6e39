/** `carabiner doctor`: checks everything the program needs and prints what works, what is missing, and what to do. */
import { Command, Option } from 'commander'
import { largest } from '../../runtime/index.ts'
import { type ClusterOptions, clusterOptions } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { asStarted } from '../program-name.ts'
import { paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { legible } from '../terminal/symbols.ts'
import type { Finding } from './finding.ts'
import { findings } from './findings.ts'

export function command(context: CliContext): Command {
  const doctor = new Command('doctor')
    .description(
      'Checks what works in the current cluster, what is missing and what to do. Exits with 1 when something required is missing.',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
  return clusterOptions(doctor).action(async (options: ClusterOptions & { output: string }) => {
    const found = await findings(context, options)
    context.stdout.write(options.output === 'json' ? `${JSON.stringify(found, null, 2)}\n` : report(found, context))
    context.exit(found.some((finding) => finding.state === 'missing') ? 1 : 0)
  })
}

function report(found: readonly Finding[], context: CliContext): string {
  const colour = paint(context.stdout)
  const marks = { works: colour.green('✓'), optional: colour.yellow('–'), missing: colour.red('✗') }
  const width = largest(found.map(({ name }) => name.length))
  const lines = found.flatMap(({ name, state, detail, remedy }) => [
    `${marks[state]} ${name.padEnd(width)}  ${printable(detail)}`,
    ...(remedy === undefined ? [] : [`  ${' '.repeat(width)}  ${colour.dim(`→ ${printable(remedy)}`)}`]),
  ])
  return asStarted(legible(`${verdict(found, context)}\n\n${lines.join('\n')}\n`, context.stdout), context)
}

/** The answer in one line; the findings are the reasons. */
function verdict(found: readonly Finding[], { stdout }: CliContext): string {
  const colour = paint(stdout)
  const named = (wanted: Finding['state']) => {
    const names = found.filter(({ state }) => state === wanted).map(({ name }) => name)
    return [...new Set(names)].join(', ')
  }
  const [missing, optional] = [named('missing'), named('optional')]
  if (missing !== '') return colour.red(`Does not work: ${missing}`)
  if (optional !== '') return colour.green(`Works, with remarks on: ${optional}`)
  return colour.green('Everything works')
}
