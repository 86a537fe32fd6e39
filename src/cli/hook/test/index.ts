/** `carabiner hook test`: runs test cases with real hooks in virtual time. */
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { type Hook, invalidHooks } from '../../../addons/scripts/index.ts'
import type { Files } from '../../../runtime/index.ts'
import type { CliContext } from '../../context.ts'
import { seconds } from '../../numbers.ts'
import { paint } from '../../terminal/paint.ts'
import { type HookFolder, hookOf, inFolder } from '../folder.ts'
import type { TestCase } from './case.ts'
import { casesAt } from './files.ts'
import { type CaseResult, junit } from './junit.ts'
import { type CaseOutcome, messageOf, runCase } from './run-case.ts'
import { runAgainOnChange } from './watch.ts'

interface TestOptions {
  readonly hooksDir?: string
  readonly junit?: string
  readonly timeout: number
  readonly watch?: boolean
}

export function testCommand(context: CliContext): Command {
  return new Command('test')
    .description(
      'Runs test cases of hooks: the real hooks in their own sandbox for each case, with virtual time. Exits with 1 when a case fails.',
    )
    .argument('<path>', 'file or folder with test cases: *.hooktest.yaml at any depth, or else *.yaml in the folder')
    .option('--hooks-dir <folder>', 'folder of hooks (default: hooks in the folder of the test cases, or that folder)')
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--timeout <seconds>', 'time limit of one run of a hook, in real time', seconds, 60)
    .option('--watch', 'run the cases again when a hook or a case changes, until interrupted')
    .action(async (path: string, options: TestOptions) => {
      const hooksDir = options.hooksDir ?? (await hooksNear(context.runtime.files, path))
      const runOnce = (isWanted: (test: TestCase) => boolean) =>
        runCases(context, path, { ...options, hooksDir }, isWanted)
      if (options.watch === true) await runAgainOnChange(context, { path, hooksDir }, runOnce)
      else await runOnce(() => true)
    })
}

/** Runs the cases and prints their results. */
async function runCases(
  context: CliContext,
  path: string,
  { hooksDir, junit: junitFile, timeout }: TestOptions & { readonly hooksDir: string },
  isWanted: (test: TestCase) => boolean,
): Promise<void> {
  const { files } = context.runtime
  const cases = (await casesAt(files, path)).filter(isWanted)
  const results = await runAll(context, cases, hooksDir, timeout * 1000)
  if (junitFile !== undefined) await files.write(junitFile, junit(results))
  const failed = results.filter(({ failure }) => failure !== '').length
  const left = cases.length - results.length
  context.exit(failed + left > 0 ? 1 : 0)
  const interrupted = left === 0 ? '' : `, ${left} not run`
  context.stdout.write(`${results.length - failed} passed, ${failed} failed${interrupted}\n`)
}

/** A folder `hooks` in the folder of the cases, or that folder itself. */
async function hooksNear(files: Files, path: string): Promise<string> {
  const folder = (await files.facts(path))?.kind === 'directory' ? path : dirname(path)
  const below = join(folder, 'hooks')
  return (await files.facts(below))?.kind === 'directory' ? below : folder
}

function runAll(
  context: CliContext,
  cases: readonly TestCase[],
  hooksDir: string,
  runTimeoutMs: number,
): Promise<readonly CaseResult[]> {
  const { runtime, signal, stdout } = context
  return inFolder({ runtime, folder: hooksDir, signal }, async (folder) => {
    const results: CaseResult[] = []
    const tmpDir = await runtime.files.makeTemporary('carabiner-hook-test-')
    try {
      for (const test of cases) {
        const startedAt = runtime.clock.monotonic()
        const runOne = async () =>
          runCase(test, { hooks: hooksOf(folder, test), runtime, tmpDir, runTimeoutMs, signal })
        const outcome = await runOne().catch(broken)
        // The result of an interrupted case is not reported.
        if (signal.aborted) break
        const result = resultOf(test, outcome, (runtime.clock.monotonic() - startedAt) / 1000)
        stdout.write(printed(context, result, outcome))
        results.push(result)
      }
    } finally {
      await runtime.files.remove(tmpDir)
    }
    return results
  })
}

/** The hooks the case names; without names all hooks, which must all be valid. */
function hooksOf(folder: HookFolder, { hooks }: TestCase): readonly Hook[] {
  if (hooks !== undefined) return hooks.map((name) => hookOf(folder, name))
  if (folder.invalid.length > 0) throw invalidHooks(folder.invalid, folder.hooks.length + folder.invalid.length)
  return folder.hooks
}

/** The case itself cannot run, for example because the cluster refuses one of its objects. */
function broken(error: unknown): CaseOutcome {
  return {
    runs: 0,
    problems: [{ step: 'before the start', what: 'the case cannot run', lines: [messageOf(error)] }],
  }
}

function resultOf({ file, name }: TestCase, { problems }: CaseOutcome, seconds: number): CaseResult {
  const failure = problems.map(({ step, what, lines }) =>
    [`${step}: ${what}`, ...lines.map((line) => `    ${line}`)].join('\n'),
  )
  return { file, name, seconds, failure: failure.join('\n') }
}

function printed({ stdout }: CliContext, { file, name, seconds, failure }: CaseResult, { runs }: CaseOutcome): string {
  const colour = paint(stdout)
  const facts = colour.dim(`${file}, ${runs} run${runs === 1 ? '' : 's'}, ${seconds.toFixed(1)} s`)
  if (failure === '') return `${colour.green('pass')}  ${name}  ${facts}\n`
  const lines = failure.split('\n').map((line) => {
    if (line.startsWith('    - ')) return colour.red(line)
    return line.startsWith('    + ') ? colour.green(line) : line
  })
  return `${colour.red('FAIL')}  ${name}  ${facts}\n${lines.map((line) => `  ${line}\n`).join('')}`
}
