/**
 * A policy or workload as a cache keeps it: text, and what it is found by. Nearly all of them are at rest nearly all of the time, and text
 * takes a third of the memory of the values in it.
 */
import { type KubeObject, keyOf } from '../../kube/index.ts'

export class Packed<T extends KubeObject> {
  readonly key: string
  readonly uid: string
  readonly version: string
  /** The workload it is or speaks of: kind, namespace and name. */
  readonly target: string
  readonly #text: string

  constructor(object: T, target: string) {
    this.key = keyOf(object)
    this.uid = object.metadata.uid ?? ''
    this.version = object.metadata.resourceVersion ?? ''
    this.target = target
    this.#text = JSON.stringify(object)
  }

  /** A new copy of the object. */
  open(): T {
    return JSON.parse(this.#text) as T
  }
}

export function targetOf(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`
}

/** The cache in which a target is to be found, and its key there. */
export function addressOf(target: string): { readonly kind: string; readonly key: string } {
  const end = target.indexOf('/')
  return { kind: target.slice(0, end), key: target.slice(end + 1) }
}
