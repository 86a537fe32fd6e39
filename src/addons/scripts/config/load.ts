/**
 * Asks every hook for its configuration. Hooks are asked side by side, but what comes out stands in the order they were found; whatever is
 * wrong with any of them is told together.
 */
import { describeOutcome, runProcess } from '../../../hooks/index.ts'
import type { CompileOptions } from '../../../jq/index.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { ProgramOutput } from '../../../runtime/processes.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Hook, HookFile } from '../hook.ts'
import { Answer, maxLineLength } from './answer.ts'
import { type ParsedConfig, parseConfigText } from './parse.ts'
import { checkStart } from './start-line.ts'

export interface LoadOptions {
  /** What hooks inherit. */
  readonly env: Readonly<Record<string, string>>
  readonly jq: CompileOptions
  /** Reads the configuration of a hook that is a function. */
  readonly functionConfig: (file: HookFile) => Promise<unknown>
  readonly signal?: AbortSignal
}

export interface InvalidHook {
  readonly file: HookFile
  readonly problems: readonly string[]
}

export interface LoadedHooks {
  readonly hooks: readonly Hook[]
  readonly invalid: readonly InvalidHook[]
}

/** More at once would only wait for the same processors. */
const atOnce = 8

/** Hooks from which on it is worth while to ask them all in the quick way first. */
const many = 8

const question = ['--config']

/** Milliseconds a hook may take to tell it: nothing begins before all have, and one that reads its input or calls the cluster may never. */
const longest = 30_000
/** Milliseconds after which whoever watches the start may know which one it waits for. */
const longAlready = 5000

export async function loadHooks(
  runtime: Runtime,
  files: readonly HookFile[],
  options: LoadOptions,
): Promise<LoadedHooks> {
  const loaded: ParsedConfig[] = []
  const early = askShort(runtime, files, options)
  const waiting = files.entries()
  const work = async (): Promise<void> => {
    for (const [index, file] of waiting) loaded[index] = await loadHook(runtime, file, options, early.get(file))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  options.signal?.throwIfAborted()
  const hooks: Hook[] = []
  const invalid: InvalidHook[] = []
  files.forEach((file, index) => {
    const { config, errors, warnings } = loaded[index] as ParsedConfig
    for (const warning of warnings) runtime.log.warn('hook configuration', { hook: file.name, warning })
    if (errors.length > 0) invalid.push({ file, problems: errors })
    else hooks.push({ ...file, config })
  })
  return { hooks, invalid }
}

/** One error for all hooks that cannot be used. */
export function invalidHooks(invalid: readonly InvalidHook[], all: number): CarabinerError {
  const lines = invalid.flatMap(({ file, problems }) => problems.map((problem) => `  ${file.name}: ${problem}`))
  return new CarabinerError(
    'CRB_HOOK_INVALID',
    `${invalid.length} of ${all} hooks cannot be used:\n${lines.join('\n')}`,
  )
}

/** Asks them in a way that costs little; hooks that do not answer well at once are asked again, each by itself. */
function askShort(
  { processes }: Runtime,
  files: readonly HookFile[],
  { env, signal }: LoadOptions,
): ReadonlyMap<HookFile, Promise<ProgramOutput | undefined>> {
  const programs = files.filter(({ executor }) => executor === 'process')
  const workingDirs = new Set(programs.map(({ workingDir }) => workingDir))
  const asked = [...workingDirs].flatMap((workingDir) => {
    const together = programs.filter((file) => file.workingDir === workingDir)
    if (together.length < many) return []
    const specs = together.map(({ path, configDirectory }) => ({ command: path, args: question, cwd: configDirectory }))
    const answers = processes.runShort(specs, { ...env, WORKING_DIR: workingDir }, signal)
    return together.map((file, index) => [file, answers[index] ?? Promise.resolve(undefined)] as const)
  })
  return new Map(asked)
}

async function loadHook(
  runtime: Runtime,
  file: HookFile,
  options: LoadOptions,
  early: Promise<ProgramOutput | undefined> | undefined,
): Promise<ParsedConfig> {
  const context = { scope: file.scope, jq: options.jq }
  try {
    if (file.executor === 'worker') return parseConfigText(JSON.stringify(await options.functionConfig(file)), context)
    const problem = await checkStart(runtime.files, file.path)
    if (problem !== undefined) return refused(problem)
    const answer = new Answer(() => runtime.log.with({ hook: file.name }))
    const printed = await early
    if (printed === undefined) await ask(runtime, file, options, answer)
    else await answer.takeAll(printed)
    return answer.problem === undefined ? parseConfigText(answer.text, context) : refused(answer.problem)
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error))
  }
}

async function ask(
  runtime: Runtime,
  { name, path, configDirectory, workingDir }: HookFile,
  { env, signal }: LoadOptions,
  answer: Answer,
): Promise<void> {
  const waiting = runtime.clock.after(longAlready, () =>
    runtime.log.warn('the start waits for a hook to tell its configuration', { hook: name, limit: `${longest} ms` }),
  )
  const outcome = await runProcess(runtime, {
    command: path,
    args: question,
    env: { ...env, WORKING_DIR: workingDir },
    cwd: configDirectory,
    lineLimit: maxLineLength,
    timeout: longest,
    ...(signal === undefined ? {} : { signal }),
    line: (stream, text) => answer.take(stream, text),
  }).finally(() => waiting.cancel())
  answer.end(describeOutcome(outcome, longest))
}

function refused(problem: string): ParsedConfig {
  return { ...parseConfigText('', { scope: 'standalone', jq: {} }), errors: [problem] }
}
