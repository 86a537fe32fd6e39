/**
 * Runs hooks that are functions: without files and processes, with the same results. Contexts are passed as text, so that the hook's own
 * thread parses them.
 */
import { type FunctionCall, FunctionExecutor, type FunctionOutcome } from '../../../hooks/index.ts'
import type { CompileOptions } from '../../../jq/index.ts'
import { isJsonObject, type Runtime } from '../../../runtime/index.ts'
import type { HookFile } from '../hook.ts'
import { readMetricDocuments } from '../metrics/read.ts'
import { readPatchDocuments } from '../patches/read.ts'
import type { RunAnswer } from '../sdk/define.ts'
import { HookOutput, logWarnings } from './log.ts'
import { type Ended, failed, noValuesPatches, resultOf, resultWithout } from './result.ts'
import type { RunRequest, RunResult } from './types.ts'

export interface FunctionRunsOptions {
  /** What hooks inherit. */
  readonly env: Readonly<Record<string, string>>
  readonly mergeJsonLines: boolean
  readonly jq: CompileOptions
}

export class FunctionRuns {
  readonly #runtime: Runtime
  readonly #options: FunctionRunsOptions
  readonly #hooks: FunctionExecutor

  constructor(runtime: Runtime, options: FunctionRunsOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#hooks = new FunctionExecutor(runtime)
  }

  /** The configuration that the hook's module exports. `reload` reads the module again; if that fails, runs keep the code they have. */
  async config(file: HookFile, { reload = false }: { readonly reload?: boolean } = {}): Promise<unknown> {
    const log = this.#runtime.log.with({ hook: file.name })
    const call: FunctionCall = {
      ...this.#specOf(file),
      member: 'config',
      line: (stream, text) => log.info(text, { output: stream }),
    }
    const outcome = await (reload ? this.#hooks.reload(call) : this.#hooks.call(call))
    if (outcome.ended === 'value') return outcome.value
    throw new Error(outcome.ended === 'failed' ? outcome.message : outcome.ended)
  }

  /** `contexts`: the JSON text of the contexts. */
  async run({ hook, log, timeout, signal }: RunRequest, contexts: string): Promise<RunResult> {
    const createLog = () => this.#runtime.log.with({ hook: hook.name, ...log })
    const output = new HookOutput(createLog, {
      mergeJson: this.#options.mergeJsonLines,
      clock: this.#runtime.clock,
    })
    const outcome = await this.#hooks.call({
      ...this.#specOf(hook),
      member: 'run',
      argument: contexts,
      line: (stream, text) => output.take(stream, text),
      ...(timeout === undefined ? {} : { timeout }),
      ...(signal === undefined ? {} : { signal }),
    })
    output.close()
    const ended = { ...endOf(outcome, timeout), log: output.end }
    if (outcome.ended !== 'value') return resultWithout(ended)
    const { metrics, changes, answer } = outcome.value as RunAnswer
    const isConversion = isJsonObject(answer) && ('convertedObjects' in answer || 'failedMessage' in answer)
    const text = answer === undefined ? '' : JSON.stringify(answer)
    const patches = readPatchDocuments(changes, this.#options.jq)
    logWarnings(createLog, patches.warnings)
    return resultOf(ended, {
      metrics: readMetricDocuments(metrics),
      patches,
      answers: { admission: isConversion ? '' : text, conversion: isConversion ? text : '' },
      valuesPatches: noValuesPatches,
    })
  }

  close(): Promise<void> {
    return this.#hooks.close()
  }

  #specOf({ path, workingDir }: HookFile) {
    return { module: path, env: { ...this.#options.env, WORKING_DIR: workingDir } }
  }
}

function endOf(outcome: FunctionOutcome, timeout = 0): Ended {
  const { duration } = outcome
  const exit = { code: outcome.ended === 'value' ? 0 : 1, signal: undefined }
  switch (outcome.ended) {
    case 'value': {
      const { failed: why } = outcome.value as RunAnswer
      if (why === undefined) return { exit, duration }
      return { exit: { ...exit, code: 1 }, duration, failure: failed('Threw', why) }
    }
    case 'failed':
      return { exit, duration, failure: failed('Threw', outcome.message) }
    case 'timeout':
      return { exit, duration, failure: failed('Timeout', `was ended because it took longer than ${timeout} ms`) }
    case 'stopped':
      return { exit, duration, failure: failed('Stopped', 'was ended because the operator stops') }
  }
}
