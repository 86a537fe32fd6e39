/** Runs a hook once: writes its files, starts it, logs its output and reads its results. `effects.ts` applies the results. */
import { describeOutcome, type ProcessOutcome, runProcess } from '../../../hooks/index.ts'
import type { CompileOptions } from '../../../jq/index.ts'
import type { PrivateFolder, Runtime } from '../../../runtime/index.ts'
import type { HookFile } from '../hook.ts'
import { readMetrics } from '../metrics/read.ts'
import { readPatches } from '../patches/read.ts'
import { contextPath, RunFolders, readAnswers, runEnvironment } from './files.ts'
import { FunctionRuns } from './function-runs.ts'
import { HookOutput, logWarnings } from './log.ts'
import { type Ended, failed, resultOf, resultWithout } from './result.ts'
import type { FailureReason, RunRequest, RunResult } from './types.ts'

export interface RunnerOptions {
  /** Created if it is not there. */
  readonly tmpDir: string
  /** Keeps the files of every run. @default false */
  readonly keepTemporaryFiles?: boolean
  /** What hooks inherit. */
  readonly env: Readonly<Record<string, string>>
  /** Merges lines of JSON that a hook prints into the log. @default false */
  readonly mergeJsonLines?: boolean
  readonly jq: CompileOptions
}

const noValues = '{"global":{}}'

export class HookRunner {
  readonly #runtime: Runtime
  readonly #options: RunnerOptions
  readonly #folders: RunFolders
  readonly #functions: FunctionRuns

  constructor(runtime: Runtime, options: RunnerOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#folders = new RunFolders(runtime, options.tmpDir, { outlive: options.keepTemporaryFiles ?? false })
    this.#functions = new FunctionRuns(runtime, { ...options, mergeJsonLines: options.mergeJsonLines ?? false })
  }

  /** The configuration of a hook that is a function; its thread is kept for the first run. */
  functionConfig(file: HookFile): Promise<unknown> {
    return this.#functions.config(file)
  }

  /** Reads the module again for this and all further runs, unless it is broken. */
  reloadedFunctionConfig(file: HookFile): Promise<unknown> {
    return this.#functions.config(file, { reload: true })
  }

  async run(request: RunRequest): Promise<RunResult> {
    const { hook, contexts } = request
    if (hook.executor === 'worker' && typeof contexts === 'string') return this.#functions.run(request, contexts)
    const start = this.#runtime.clock.monotonic()
    let folder: PrivateFolder | undefined
    let isOver = false
    try {
      folder = await this.#folders.take(hook.scope)
      await this.#writeInputs(folder, request)
      if (hook.executor === 'worker')
        return await this.#functions.run(request, await this.#runtime.files.readText(contextPath(folder)))
      const { outcome, ended } = await this.#start(folder, request)
      // A process that is left could still write to its files.
      isOver = outcome.ended === 'exit' && !outcome.hasRemainingChildren
      return await this.#read(folder, request, ended)
    } catch (error) {
      const duration = this.#runtime.clock.monotonic() - start
      return resultWithout({ exit: undefined, duration, failure: failed('Files', messageOf(error)) })
    } finally {
      if (folder !== undefined && !this.#options.keepTemporaryFiles) {
        if (isOver) this.#folders.giveBack(hook.scope, folder)
        else this.#folders.remove(folder)
      }
    }
  }

  /** Called after the last run has ended: removes folders and ends threads. */
  async close(): Promise<void> {
    await Promise.all([this.#folders.close(), this.#functions.close()])
  }

  async #writeInputs(folder: PrivateFolder, { hook, contexts, values }: RunRequest): Promise<void> {
    if (typeof contexts === 'string') await folder.write('binding-context.json', contexts)
    else await contexts(contextPath(folder))
    if (hook.scope === 'standalone') return
    await folder.write('values.json', values?.values ?? noValues)
    await folder.write('config-values.json', values?.configValues ?? noValues)
  }

  async #start(
    folder: PrivateFolder,
    { hook, log, timeout, signal, traceparent }: RunRequest,
  ): Promise<{ readonly outcome: ProcessOutcome; readonly ended: Ended }> {
    const output = new HookOutput(() => this.#runtime.log.with({ hook: hook.name, ...log }), {
      mergeJson: this.#options.mergeJsonLines ?? false,
      clock: this.#runtime.clock,
    })
    const traced = traceparent === undefined ? {} : { TRACEPARENT: traceparent }
    const outcome = await runProcess(this.#runtime, {
      command: hook.path,
      env: { ...this.#options.env, ...runEnvironment(folder, hook.scope), WORKING_DIR: hook.workingDir, ...traced },
      cwd: hook.directory,
      line: (stream, text) => output.take(stream, text),
      ...(timeout === undefined ? {} : { timeout }),
      ...(signal === undefined ? {} : { signal }),
    })
    output.close()
    const problem = describeOutcome(outcome, timeout)
    const complaints = output.complaints
    const failure =
      problem === undefined
        ? undefined
        : failed(reasonOf(outcome), complaints === '' ? problem : `${problem}: ${complaints}`)
    const exit = outcome.ended === 'not-started' ? undefined : outcome.exit
    return { outcome, ended: { exit, duration: outcome.duration, log: output.end, ...(failure && { failure }) } }
  }

  async #read(folder: PrivateFolder, { hook, log }: RunRequest, ended: Ended): Promise<RunResult> {
    const left = await readAnswers(folder, hook.scope)
    const patches = readPatches(left['kubernetes-patch.yaml'] ?? '', this.#options.jq)
    logWarnings(() => this.#runtime.log.with({ hook: hook.name, ...log }), patches.warnings)
    return resultOf(ended, {
      metrics: readMetrics(left['metrics.json'] ?? ''),
      patches,
      answers: {
        admission: left['admission-response.json'] ?? '',
        conversion: left['conversion-response.json'] ?? '',
      },
      valuesPatches: {
        values: left['values-patch.json'] ?? '',
        configValues: left['config-values-patch.json'] ?? '',
      },
    })
  }
}

function reasonOf(outcome: ProcessOutcome): FailureReason {
  switch (outcome.ended) {
    case 'not-started':
      return 'NotStarted'
    case 'timeout':
      return 'Timeout'
    case 'stopped':
      return 'Stopped'
    case 'exit':
      return outcome.exit.signal === undefined ? 'ExitCode' : 'Signal'
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
