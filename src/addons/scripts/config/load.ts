/**
 * Runs every hook with --config. Hooks run in parallel; the result has the order in which they were found, and errors of all hooks are
 * reported together.
 */
import { describeOutcome, runProcess } from '../../../hooks/index.ts'
import type { CompileOptions } from '../../../jq/index.ts'
import { CarabinerError, type ProgramOutput, type Runtime } from '../../../runtime/index.ts'
import type { Hook, HookFile } from '../hook.ts'
import { ConfigOutput, maxLineLength } from './answer.ts'
import { type ParsedConfig, parseConfigText } from './parse.ts'
import { checkShebang } from './shebang.ts'

export interface LoadOptions {
  /** The environment of hooks. */
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

const maxConcurrentHooks = 8

/** From this number of hooks on, running them in batches by a shell is faster. */
const minBatchSize = 8

const configArgs = ['--config']

/** Startup waits for all hooks, so a hook that hangs is killed after this time. */
const configTimeoutMs = 30_000
/** A hook that takes longer is logged, to show what startup waits for. */
const slowConfigMs = 5000

export async function loadHooks(
  runtime: Runtime,
  files: readonly HookFile[],
  options: LoadOptions,
): Promise<LoadedHooks> {
  const loaded: ParsedConfig[] = []
  const early = runInBatches(runtime, files, options)
  const waiting = files.entries()
  const work = async (): Promise<void> => {
    for (const [index, file] of waiting) loaded[index] = await loadHook(runtime, file, options, early.get(file))
  }
  await Promise.all(Array.from({ length: maxConcurrentHooks }, work))
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

/** One error for all invalid hooks. */
export function invalidHooks(invalid: readonly InvalidHook[], all: number): CarabinerError {
  const lines = invalid.flatMap(({ file, problems }) => problems.map((problem) => `  ${file.name}: ${problem}`))
  return new CarabinerError('CRB_HOOK_INVALID', `${invalid.length} of ${all} hooks are invalid:\n${lines.join('\n')}`)
}

/** Runs many hooks by a few shells, which is cheap. Undefined for a hook that fails or is slow: it runs again in its own process. */
function runInBatches(
  { processes }: Runtime,
  files: readonly HookFile[],
  { env, signal }: LoadOptions,
): ReadonlyMap<HookFile, Promise<ProgramOutput | undefined>> {
  const programs = files.filter(({ executor }) => executor === 'process')
  const workingDirs = new Set(programs.map(({ workingDir }) => workingDir))
  const asked = [...workingDirs].flatMap((workingDir) => {
    const together = programs.filter((file) => file.workingDir === workingDir)
    if (together.length < minBatchSize) return []
    const specs = together.map(({ path, configDirectory }) => ({
      command: path,
      args: configArgs,
      cwd: configDirectory,
    }))
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
    const problem = await checkShebang(runtime.files, file.path)
    if (problem !== undefined) return refused(problem)
    const answer = new ConfigOutput(() => runtime.log.with({ hook: file.name }))
    const printed = await early
    if (printed === undefined) await runConfig(runtime, file, options, answer)
    else await answer.takeAll(printed)
    return answer.problem === undefined ? parseConfigText(answer.text, context) : refused(answer.problem)
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error))
  }
}

async function runConfig(
  runtime: Runtime,
  { name, path, configDirectory, workingDir }: HookFile,
  { env, signal }: LoadOptions,
  answer: ConfigOutput,
): Promise<void> {
  const waiting = runtime.clock.after(slowConfigMs, () =>
    runtime.log.warn('startup waits for the configuration of a hook', { hook: name, limit: `${configTimeoutMs} ms` }),
  )
  const outcome = await runProcess(runtime, {
    command: path,
    args: configArgs,
    env: { ...env, WORKING_DIR: workingDir },
    cwd: configDirectory,
    lineLimit: maxLineLength,
    timeout: configTimeoutMs,
    ...(signal === undefined ? {} : { signal }),
    line: (stream, text) => answer.take(stream, text),
  }).finally(() => waiting.cancel())
  answer.end(describeOutcome(outcome, configTimeoutMs))
}

function refused(problem: string): ParsedConfig {
  return { ...parseConfigText('', { scope: 'standalone', jq: {} }), errors: [problem] }
}
