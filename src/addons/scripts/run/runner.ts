/**
 * Runs a hook once: writes its files, starts it, tells its output, reads what it left. What it asks for is only read here; `effects.ts` does it.
 */
import { describeOutcome, type ProcessOutcome, runProcess } from '../../../hooks/executors/process.ts'
import type { CompileOptions } from '../../../jq/index.ts'
import type { PrivateFolder } from '../../../runtime/files.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { readMetrics } from '../metrics/read.ts'
import { readPatches } from '../patches/read.ts'
import { contextPath, RunFolders, readAnswers, runEnvironment } from './files.ts'
import { HookOutput } from './log.ts'
import type { FailureReason, RunFailure, RunRequest, RunResult } from './types.ts'

export interface RunnerOptions {
  /** Created if it is not there. */
  readonly tmpDir: string
  /** Leaves the files of every run where they are. @default false */
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
  /** Folders of runs that are over. */
  readonly #used = new Set<PrivateFolder>()

  constructor(runtime: Runtime, options: RunnerOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#folders = new RunFolders(runtime.files, options.tmpDir)
  }

  async run(request: RunRequest): Promise<RunResult> {
    const start = this.#runtime.clock.monotonic()
    let folder: PrivateFolder | undefined
    try {
      folder = await this.#folders.take(request.hook.scope)
      await this.#writeInputs(folder, request)
      return await this.#start(folder, request)
    } catch (error) {
      const duration = this.#runtime.clock.monotonic() - start
      return { ...untouched, exit: undefined, duration, failure: failed('Files', messageOf(error)) }
    } finally {
      if (folder !== undefined && !this.#options.keepTemporaryFiles) this.#removeSoon(folder)
    }
  }

  /** To be called when nothing runs any more: removes what is left of runs and what was made ahead. */
  async close(): Promise<void> {
    await Promise.all([...this.#used].map((folder) => this.#remove(folder)))
    await this.#folders.close()
  }

  async #writeInputs(folder: PrivateFolder, { hook, contexts, values }: RunRequest): Promise<void> {
    if (typeof contexts === 'string') await folder.write('binding-context.json', contexts)
    else await contexts(contextPath(folder))
    if (hook.scope === 'standalone') return
    await folder.write('values.json', values?.values ?? noValues)
    await folder.write('config-values.json', values?.configValues ?? noValues)
  }

  async #start(folder: PrivateFolder, request: RunRequest): Promise<RunResult> {
    const { hook, log, timeout, signal } = request
    const output = new HookOutput(
      () => this.#runtime.log.with({ hook: hook.name, ...log }),
      this.#options.mergeJsonLines ?? false,
    )
    const running = runProcess(this.#runtime, {
      command: hook.path,
      env: { ...this.#options.env, ...runEnvironment(folder, hook.scope), WORKING_DIR: hook.workingDir },
      cwd: hook.directory,
      line: (stream, text) => output.take(stream, text),
      ...(timeout === undefined ? {} : { timeout }),
      ...(signal === undefined ? {} : { signal }),
    })
    if (!this.#options.keepTemporaryFiles) this.#folders.makeAhead(hook.scope)
    const outcome = await running
    const problem = describeOutcome(outcome, timeout)
    const complaints = output.complaints
    const failure =
      problem === undefined
        ? undefined
        : failed(reasonOf(outcome), complaints === '' ? problem : `${problem}: ${complaints}`)
    const exit = outcome.ended === 'not-started' ? undefined : outcome.exit
    return this.#read(folder, request, { exit, duration: outcome.duration, ...(failure && { failure }) })
  }

  /** After a failure only patches are looked at: some of them are wanted nevertheless. */
  async #read(
    folder: PrivateFolder,
    { hook }: RunRequest,
    ended: Pick<RunResult, 'exit' | 'duration' | 'failure'>,
  ): Promise<RunResult> {
    const left = await readAnswers(folder, hook.scope)
    const patches = readPatches(left['kubernetes-patch.yaml'] ?? '', this.#options.jq)
    if (ended.failure !== undefined)
      return { ...untouched, ...ended, patches: patches.operations.filter(({ ignoreHookError }) => ignoreHookError) }
    const metrics = readMetrics(left['metrics.json'] ?? '')
    const errors = [...metrics.errors, ...patches.errors]
    if (errors.length > 0) return { ...untouched, ...ended, failure: failed('Output', errors.join('\n')) }
    return {
      ...ended,
      metrics: metrics.operations,
      patches: patches.operations,
      answers: {
        admission: left['admission-response.json'] ?? '',
        conversion: left['conversion-response.json'] ?? '',
      },
      valuesPatches: {
        values: left['values-patch.json'] ?? '',
        configValues: left['config-values-patch.json'] ?? '',
      },
    }
  }

  /** The next run must not wait for it. */
  #removeSoon(folder: PrivateFolder): void {
    this.#used.add(folder)
    this.#runtime.clock.after(0, () => void this.#remove(folder))
  }

  async #remove(folder: PrivateFolder): Promise<void> {
    if (!this.#used.delete(folder)) return
    await folder.remove().catch((error: unknown) => {
      this.#runtime.log.warn('cannot remove the files of a run', { folder: folder.path, error })
    })
  }
}

const untouched = {
  metrics: [],
  patches: [],
  answers: { admission: '', conversion: '' },
  valuesPatches: { values: '', configValues: '' },
} as const

function failed(reason: FailureReason, message: string): RunFailure {
  return { reason, message }
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
