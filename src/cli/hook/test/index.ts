/** `carabiner hook test`: test cases of hooks, played in virtual time with real hooks. */
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { invalidHooks } from '../../../addons/scripts/config/load.ts'
import type { Hook } from '../../../addons/scripts/hook.ts'
import type { Files } from '../../../runtime/files.ts'
import type { CliContext } from '../../context.ts'
import { seconds } from '../../numbers.ts'
import { paint } from '../../terminal/paint.ts'
import { type HookFolder, hookOf, inFolder } from '../folder.ts'
import type { TestCase } from './case.ts'
import { casesAt } from './files.ts'
import { type CaseResult, junit } from './junit.ts'
import { type Played, playCase, wordsOf } from './play.ts'

interface TestOptions {
  readonly hooksDir?: string
  readonly junit?: string
  readonly timeout: number
}

export function testCommand(context: CliContext): Command {
  return new Command('test')
    .description(
      'Plays test cases of hooks: real hooks, a cluster of its own for each case, and time that passes in a moment. Exits with 1 when a case does not pass.',
    )
    .argument('<path>', 'file or folder with test cases: *.hooktest.yaml in any depth, or else *.yaml in the folder')
    .option('--hooks-dir <folder>', 'folder of hooks (default: hooks in the folder of the test cases, or that folder)')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .option('--timeout <seconds>', 'how long one run of a hook may take in real time', seconds, 60)
    .action(async (path: string, options: TestOptions) => {
      const { files } = context.runtime
      const cases = await casesAt(files, path)
      const hooksDir = options.hooksDir ?? (await hooksNear(files, path))
      const results = await playAll(context, cases, hooksDir, options.timeout * 1000)
      if (options.junit !== undefined) await files.write(options.junit, junit(results))
      const failed = results.filter(({ failure }) => failure !== '').length
      const left = cases.length - results.length
      if (failed + left > 0) context.exit(1)
      const interrupted = left === 0 ? '' : `, ${left} not played`
      context.stdout.write(`${results.length - failed} passed, ${failed} failed${interrupted}\n`)
    })
}

/** A folder `hooks` in the folder of the cases, or that folder itself. */
async function hooksNear(files: Files, path: string): Promise<string> {
  const folder = (await files.facts(path))?.kind === 'directory' ? path : dirname(path)
  const below = join(folder, 'hooks')
  return (await files.facts(below))?.kind === 'directory' ? below : folder
}

function playAll(
  context: CliContext,
  cases: readonly TestCase[],
  hooksDir: string,
  longestRun: number,
): Promise<readonly CaseResult[]> {
  const { runtime, signal, stdout } = context
  return inFolder(runtime, hooksDir, signal, async (folder) => {
    const results: CaseResult[] = []
    const tmpDir = await runtime.files.makeTemporary('carabiner-hook-test-')
    try {
      for (const test of cases) {
        const begun = runtime.clock.monotonic()
        const play = async () => playCase(test, { hooks: hooksOf(folder, test), runtime, tmpDir, longestRun, signal })
        const played = await play().catch(broken)
        // Half a case says nothing.
        if (signal.aborted) break
        const result = resultOf(test, played, (runtime.clock.monotonic() - begun) / 1000)
        stdout.write(printed(context, result, played))
        results.push(result)
      }
    } finally {
      await runtime.files.remove(tmpDir)
    }
    return results
  })
}

/** Those that the case names, or all of them, which then must all be usable. */
function hooksOf(folder: HookFolder, { hooks }: TestCase): readonly Hook[] {
  if (hooks !== undefined) return hooks.map((name) => hookOf(folder, name))
  if (folder.invalid.length > 0) throw invalidHooks(folder.invalid, folder.hooks.length + folder.invalid.length)
  return folder.hooks
}

/** The case itself cannot be played, for example because the cluster refuses an object of it. */
function broken(error: unknown): Played {
  return {
    runs: 0,
    problems: [{ step: 'before the start', what: 'the case cannot be played', lines: [wordsOf(error)] }],
  }
}

function resultOf({ file, name }: TestCase, { problems }: Played, seconds: number): CaseResult {
  const failure = problems.map(({ step, what, lines }) =>
    [`${step}: ${what}`, ...lines.map((line) => `    ${line}`)].join('\n'),
  )
  return { file, name, seconds, failure: failure.join('\n') }
}

function printed({ stdout }: CliContext, { file, name, seconds, failure }: CaseResult, { runs }: Played): string {
  const colour = paint(stdout)
  const facts = colour.dim(`${file}, ${runs} run${runs === 1 ? '' : 's'}, ${seconds.toFixed(1)} s`)
  if (failure === '') return `${colour.green('pass')}  ${name}  ${facts}\n`
  const lines = failure.split('\n').map((line) => {
    if (line.startsWith('    - ')) return colour.red(line)
    return line.startsWith('    + ') ? colour.green(line) : line
  })
  return `${colour.red('FAIL')}  ${name}  ${facts}\n${lines.map((line) => `  ${line}\n`).join('')}`
}
