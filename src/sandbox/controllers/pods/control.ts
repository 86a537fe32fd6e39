/** Creates and deletes pods for an owner and records the events. */
import { ApiError, isNamespaceEnding, isNotFound, type KubeClient, type KubeObject } from '../../../kube/index.ts'
import { type Pod, resources } from '../../../kube/kinds/index.ts'
import { event } from '../decisions/decision.ts'
import type { Recorder } from '../loop/perform.ts'

/** The message of the API server, without the request. */
export function apiErrorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.status.message ?? error.message
  return error instanceof Error ? error.message : String(error)
}

export class PodControl {
  readonly #client: KubeClient
  readonly #record: Recorder

  constructor(client: KubeClient, record: Recorder) {
    this.#client = client
    this.#record = record
  }

  async create(pod: Pod, owner: KubeObject): Promise<Pod> {
    try {
      const created = await this.#client.of(resources.pods).create(pod)
      this.#record(event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`))
      return created
    } catch (error) {
      if (!isNamespaceEnding(error)) {
        this.#record(event(owner, 'Warning', 'FailedCreate', `Error creating: ${apiErrorMessage(error)}`))
      }
      throw error
    }
  }

  /** Rejects with a 404 when the pod is already deleted. */
  async delete(pod: Pod, owner: KubeObject): Promise<void> {
    const { name, namespace, uid } = pod.metadata
    try {
      await this.#client.of(resources.pods).delete(name, {
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      })
    } catch (error) {
      if (!isNotFound(error)) {
        this.#record(event(owner, 'Warning', 'FailedDelete', `Error deleting: ${apiErrorMessage(error)}`))
      }
      throw error
    }
    this.#record(event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`))
  }
}
