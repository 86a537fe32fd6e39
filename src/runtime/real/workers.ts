/** Worker threads of this process, one per module. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type ModuleWorker, WorkerFailure, type WorkerSpec, type Workers } from '../workers.ts'
import { ProcessOutput } from './output.ts'
import { workerBootstrap } from './worker-bootstrap.ts'

/** What a module can import even when it is not installed beside the module. */
const packageName = 'carabiner/script-hooks'
/** Its name until 0.3. A hook needs nothing else of what `carabiner/hooks` exports today, and a thread starts faster without it. */
const deprecatedPackageName = 'carabiner/hooks'

/** Without a limit per thread, a module that leaks memory would end the whole process. */
const maxHeapMegabytes = 512

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly message?: string
  readonly stack?: string
  readonly code?: string
}

interface Call {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: WorkerFailure) => void
}

export function createRealWorkers(): Workers {
  return { start: (spec) => new ThreadWorker(spec) }
}

class ThreadWorker implements ModuleWorker {
  readonly stdout: ProcessOutput
  readonly stderr: ProcessOutput
  readonly #spec: WorkerSpec
  readonly #thread: Worker
  readonly #calls = new Map<number, Call>()
  #count = 0
  #end: string | undefined

  constructor(spec: WorkerSpec) {
    this.#spec = spec
    const url = pathToFileURL(createRequire(import.meta.url).resolve(packageName)).href
    const packages = { [packageName]: url, [deprecatedPackageName]: url }
    this.#thread = new Worker(workerBootstrap, {
      eval: true,
      workerData: { moduleUrl: pathToFileURL(spec.module).href, packages },
      env: { ...spec.env },
      // The module does not inherit the Node.js flags of this process.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
      stdout: true,
      stderr: true,
    })
    this.stdout = new ProcessOutput(this.#thread.stdout)
    this.stderr = new ProcessOutput(this.#thread.stderr)
    this.#thread.on('message', (answer: Answer) => this.#answer(answer))
    this.#thread.on('error', (error) => this.#over(`crashed: ${error.message}`))
    this.#thread.on('exit', (code) => this.#over(`ended itself with code ${code}`))
    // An idle thread does not keep the process running.
    this.#thread.unref()
  }

  call(member: string, argument?: unknown, signal?: AbortSignal): Promise<unknown> {
    const id = this.#count++
    const abort = (): void => this.#thread.postMessage({ id, abort: true })
    return new Promise<unknown>((resolve, reject) => {
      if (this.#end !== undefined) {
        reject(new WorkerFailure('ended', this.#end))
        return
      }
      this.#calls.set(id, { resolve, reject })
      this.#thread.ref()
      this.#thread.postMessage({ id, member, argument })
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    }).finally(() => signal?.removeEventListener('abort', abort))
  }

  async terminate(): Promise<void> {
    this.#over('was ended')
    await this.#thread.terminate()
  }

  #answer({ id, value, message, stack, code }: Answer): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (this.#calls.size === 0) this.#thread.unref()
    if (message === undefined) call?.resolve(value)
    else call?.reject(new WorkerFailure('threw', this.#explain(message, stack, code)))
  }

  #explain(message: string, stack: string | undefined, code: string | undefined): string {
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.m?ts$/.test(this.#spec.module))
      return `this Node.js (${process.version}) cannot load TypeScript; use Node.js 22.18 or newer, or compile the file to .mjs`
    return stack ?? message
  }

  #over(why: string): void {
    this.#end ??= why
    for (const { reject } of this.#calls.values()) reject(new WorkerFailure('ended', this.#end))
    this.#calls.clear()
  }
}
