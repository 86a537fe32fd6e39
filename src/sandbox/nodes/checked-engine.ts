/** Starts a container only when everything its environment refers to exists, for an engine that does not read it. */
import type { Container, Pod } from '../../kube/kinds/index.ts'
import type { ContainerListener, Engine, LogQuery, RunningContainer, StartRequest } from './engine.ts'
import type { Environment } from './pod/environment.ts'
import { MissingReference } from './pod/references.ts'

function hasReferences({ env = [], envFrom = [] }: Container): boolean {
  return envFrom.length > 0 || env.some(({ valueFrom }) => valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef)
}

export class CheckedEngine implements Engine {
  readonly #inner: Engine
  readonly #environment: Environment

  constructor(inner: Engine, environment: Environment) {
    this.#inner = inner
    this.#environment = environment
  }

  start(request: StartRequest, listener: ContainerListener): RunningContainer {
    if (!hasReferences(request.container)) return this.#inner.start(request, listener)
    let running: RunningContainer | undefined
    let isStopped = false
    const start = async () => {
      try {
        await this.#environment.of(request)
      } catch (error) {
        const reason = error instanceof MissingReference ? 'CreateContainerConfigError' : 'CreateContainerError'
        const message = error instanceof Error ? error.message : String(error)
        listener({ kind: 'startFailed', reason, message })
        return
      }
      if (isStopped) listener({ kind: 'exited', exit: { exitCode: 137 } })
      else running = this.#inner.start(request, listener)
    }
    void start()
    return {
      stop(grace) {
        isStopped = true
        running?.stop(grace)
      },
    }
  }

  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    return this.#inner.logs(podUid, query)
  }

  removePod(pod: Pod): Promise<void> {
    return this.#inner.removePod(pod)
  }

  stop(): Promise<void> {
    return this.#inner.stop()
  }
}
