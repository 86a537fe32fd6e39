/**
 * The storage of the fault server: ConfigMaps, a version per change, and the history that watches are served from. Caches are compared with
 * it.
 */
import type { KubeObject } from '../../../src/kube/object.ts'

export interface Item extends KubeObject {
  data: Record<string, string>
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly version: number
  readonly object: Item
}

export class Storage {
  readonly objects = new Map<string, Item>()
  readonly history: Change[] = []
  /** Watches from an older version get 410. */
  forgottenBefore = 0
  version: number
  readonly #listeners = new Set<(change: Change) => void>()

  constructor(version = 1_000) {
    this.version = version
  }

  put(name: string, data: Record<string, string> = {}): void {
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED'
    const object = itemAt(name, ++this.version, data)
    this.objects.set(name, object)
    this.#happened({ type, version: this.version, object })
  }

  delete(name: string): void {
    const known = this.objects.get(name)
    if (known === undefined) throw new Error(`no object ${name}`)
    this.objects.delete(name)
    this.#happened({ type: 'DELETED', version: ++this.version, object: itemAt(name, this.version, known.data) })
  }

  /** Drops the history, like compaction. */
  forget(): void {
    this.forgottenBefore = this.version
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #happened(change: Change): void {
    this.history.push(change)
    for (const listener of this.#listeners) listener(change)
  }
}

function itemAt(name: string, version: number, data: Record<string, string>): Item {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'faults', uid: `uid-${name}`, resourceVersion: String(version) },
    data,
  }
}
