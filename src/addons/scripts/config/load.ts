/**
 * Asks every hook for its configuration. Hooks are asked side by side, but what comes out stands in the order they were found; whatever is
 * wrong with any of them is told together.
 */
import { describeOutcome, runProcess } from '../../../hooks/executors/process.ts'
import type { CompileOptions } from '../../../jq/index.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Hook, HookFile } from '../hook.ts'
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

/** The most a configuration may be, in characters. */
const largest = 1_000_000

/** Milliseconds a hook may take to tell it: nothing begins before all have, and one that reads its input or calls the cluster may never. */
const longest = 30_000

export async function loadHooks(
  runtime: Runtime,
  files: readonly HookFile[],
  options: LoadOptions,
): Promise<LoadedHooks> {
  const loaded: ParsedConfig[] = []
  const waiting = files.entries()
  const work = async (): Promise<void> => {
    for (const [index, file] of waiting) loaded[index] = await loadHook(runtime, file, options)
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

async function loadHook(runtime: Runtime, file: HookFile, options: LoadOptions): Promise<ParsedConfig> {
  const context = { scope: file.scope, jq: options.jq }
  try {
    if (file.executor === 'worker') return parseConfigText(JSON.stringify(await options.functionConfig(file)), context)
    const problem = await checkStart(runtime.files, file.path)
    if (problem !== undefined) return refused(problem)
    const printed = await ask(runtime, file, options)
    return 'problem' in printed ? refused(printed.problem) : parseConfigText(printed.text, context)
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error))
  }
}

async function ask(
  runtime: Runtime,
  { name, path, configDirectory, workingDir }: HookFile,
  { env, signal }: LoadOptions,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const log = runtime.log.with({ hook: name })
  const printed: string[] = []
  const complaints: string[] = []
  let size = 0
  const outcome = await runProcess(runtime, {
    command: path,
    args: ['--config'],
    env: { ...env, WORKING_DIR: workingDir },
    cwd: configDirectory,
    lineLimit: largest + 1,
    timeout: longest,
    ...(signal === undefined ? {} : { signal }),
    line: (stream, text) => {
      if (stream === 'stdout') {
        size += text.length
        if (size <= largest) printed.push(text)
      } else {
        log.info(text, { output: stream })
        complaints.push(text)
        if (complaints.length > 5) complaints.shift()
      }
    },
  })
  const failure = describeOutcome(outcome, longest)
  if (failure !== undefined)
    return { problem: [`--config ${failure}`, ...complaints].join(complaints.length > 0 ? '\n    ' : '') }
  if (size > largest) return { problem: `--config printed more than ${largest} characters` }
  return { text: printed.join('\n') }
}

function refused(problem: string): ParsedConfig {
  return { ...parseConfigText('', { scope: 'standalone', jq: {} }), errors: [problem] }
}
