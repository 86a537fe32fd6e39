/** The ConfigMaps and Secrets that a pod refers to, in its environment and in its volumes. */
import { isNotFound, type KubeClient } from '../../../kube/index.ts'
import { type Pod, resources } from '../../../kube/kinds/index.ts'
import { textFromBase64 } from '../../../runtime/index.ts'

/** An object or key that the pod refers to does not exist; the kubelet tries again. */
export class MissingReference extends Error {}

export type Values = Readonly<Record<string, string>>

export interface Reference {
  readonly kind: 'configmap' | 'secret'
  readonly name: string
  readonly optional: boolean
}

export class References {
  readonly #client: KubeClient

  constructor(client: KubeClient) {
    this.#client = client
  }

  /** The values of the object; undefined when an optional one does not exist. Rejects with `MissingReference`. */
  async data(pod: Pod, { kind, name, optional }: Reference): Promise<Values | undefined> {
    const { namespace = '' } = pod.metadata
    try {
      if (kind === 'configmap') {
        const { data = {}, binaryData = {} } = await this.#client.of(resources.configMaps).get(name, { namespace })
        return { ...binaryData, ...data }
      }
      const { data = {} } = await this.#client.of(resources.secrets).get(name, { namespace })
      return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, textFromBase64(value)]))
    } catch (error) {
      if (!isNotFound(error)) throw error
      if (optional) return undefined
      throw new MissingReference(`${kind} "${name}" not found`)
    }
  }

  async hasClaim(pod: Pod, name: string): Promise<boolean> {
    const { namespace = '' } = pod.metadata
    try {
      await this.#client.of(resources.persistentVolumeClaims).get(name, { namespace, answer: 'metadata' })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
}
