/**
 * Pods as a cache keeps them: without what no controller, scheduler or node reads, and with one copy of what thousands of pods have in
 * common.
 */
import type { KubeObject } from '../../kube/object.ts'
import type { Container, Pod, PodSpec } from './pod.ts'

/** Parts kept for sharing; when there are more, sharing starts anew. */
const mostParts = 2_000

export class PodSlimmer {
  readonly #parts = new Map<string, unknown>()

  slim(object: KubeObject): KubeObject {
    const pod = object as Pod
    const { managedFields: _, ...metadata } = pod.metadata
    return { ...pod, metadata, spec: this.#spec(pod.spec) } as KubeObject
  }

  #spec(full: PodSpec & { readonly securityContext?: unknown }): PodSpec {
    const { volumes, containers, initContainers, tolerations, securityContext: _, ...spec } = full
    const claimed = volumes?.filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) ?? []
    return {
      ...spec,
      containers: this.#shared(containers.map(slimContainer)),
      ...(initContainers === undefined ? {} : { initContainers: this.#shared(initContainers.map(slimContainer)) }),
      ...(tolerations === undefined ? {} : { tolerations: this.#shared(tolerations) }),
      ...(claimed.length === 0 ? {} : { volumes: claimed }),
    }
  }

  #shared<T>(part: T): T {
    const key = JSON.stringify(part)
    const known = this.#parts.get(key)
    if (known !== undefined) return known as T
    if (this.#parts.size >= mostParts) this.#parts.clear()
    this.#parts.set(key, part)
    return part
  }
}

function slimContainer(container: Container): Container {
  const {
    volumeMounts: _,
    imagePullPolicy: __,
    terminationMessagePath: ___,
    ...kept
  } = container as Container & {
    readonly volumeMounts?: unknown
    readonly imagePullPolicy?: unknown
    readonly terminationMessagePath?: unknown
  }
  return kept
}
