/** What the hooks of configuration run on: the executors of one process, shared by all its deployers. */
import {
  type Executor,
  type HttpCall,
  HttpExecutor,
  type ProcessAction,
  ProcessExecutor,
  Recorder,
} from '../../hooks/index.ts'
import type { KubeClient, Source } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { HookJobs } from './jobs.ts'
import { HookRecords } from './records.ts'

export class HookRunner {
  readonly runtime: Runtime
  readonly http: Executor<HttpCall>
  readonly processes: Executor<ProcessAction>
  /** For the digests of values; another one in every process. */
  readonly salt: Uint8Array
  readonly #client: KubeClient
  readonly #signal: AbortSignal
  readonly records: HookRecords
  #jobs: HookJobs | undefined

  /** `client` is for the cluster of the items; runs that this process carries end with `signal`. */
  constructor(client: KubeClient, runtime: Runtime, signal: AbortSignal, recorder = new Recorder(runtime)) {
    this.records = new HookRecords(recorder, runtime)
    this.runtime = runtime
    this.salt = runtime.random.bytes(32)
    this.http = new HttpExecutor(client, runtime, signal)
    this.processes = new ProcessExecutor(runtime, signal)
    this.#client = client
    this.#signal = signal
  }

  /** For a hook that is a Job; without one no Job is watched. */
  jobs(): HookJobs {
    this.#jobs ??= new HookJobs(this.#client, this.runtime, this.#signal)
    return this.#jobs
  }

  /** The keys of items whose hooks have ended; undefined when no hook is a Job. */
  get changes(): Source | undefined {
    return this.#jobs?.changes
  }

  /** Watches the Jobs of hooks, if there are any, until the signal aborts. All hooks must be registered. */
  async run(): Promise<void> {
    await this.#jobs?.run()
  }
}
