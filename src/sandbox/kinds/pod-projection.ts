/**
 * The projection of pods for caches: drops fields that no controller, scheduler or node reads, and shares equal parts
 * of pods.
 */

import type { KubeObject } from '../../kube/index.ts'
import type { Container, Pod, PodSpec, Volume } from '../../kube/kinds/index.ts'

/** The shared parts are cleared when there are more than this. */
const maxSharedParts = 2_000

/** Volumes of service account tokens, added at admission to nearly every pod. Nothing waits for their ConfigMap. */
const tokenVolumePrefix = 'kube-api-access-'

/** Whether the volume refers to another object. */
function isReferring({ name, persistentVolumeClaim, configMap, secret, projected }: Volume): boolean {
  if (projected !== undefined) return !name.startsWith(tokenVolumePrefix)
  return (persistentVolumeClaim ?? configMap ?? secret) !== undefined
}

export class PodProjection {
  readonly #parts = new Map<string, unknown>()

  project(object: KubeObject): KubeObject {
    const pod = object as Pod
    const { managedFields: _, ...metadata } = pod.metadata
    return { ...pod, metadata, spec: this.#spec(pod.spec) } as KubeObject
  }

  #spec(full: PodSpec & { readonly securityContext?: unknown }): PodSpec {
    const { volumes, containers, initContainers, tolerations, securityContext: _, ...spec } = full
    const referring = volumes?.filter(isReferring) ?? []
    return {
      ...spec,
      containers: this.#shared(containers.map(projectContainer)),
      ...(initContainers === undefined ? {} : { initContainers: this.#shared(initContainers.map(projectContainer)) }),
      ...(tolerations === undefined ? {} : { tolerations: this.#shared(tolerations) }),
      ...(referring.length === 0 ? {} : { volumes: this.#shared(referring) }),
    }
  }

  #shared<T>(part: T): T {
    const key = JSON.stringify(part)
    const known = this.#parts.get(key)
    if (known !== undefined) return known as T
    if (this.#parts.size >= maxSharedParts) this.#parts.clear()
    this.#parts.set(key, part)
    return part
  }
}

function projectContainer(container: Container): Container {
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
