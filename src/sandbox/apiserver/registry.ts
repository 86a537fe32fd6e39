/** The resources served at this moment: built-in kinds from the start, custom resources as definitions are added and removed. */
import type { ServedResource } from './resource.ts'

export class Registry {
  readonly #byPath = new Map<string, ServedResource>()
  #generation = 0

  /** Increases with every change, so that documents derived from the registry can be cached. */
  get generation(): number {
    return this.#generation
  }

  add(resource: ServedResource): void {
    this.#byPath.set(pathOf(resource.group, resource.version, resource.resource), resource)
    this.#generation++
  }

  remove(resource: ServedResource): void {
    const path = pathOf(resource.group, resource.version, resource.resource)
    if (this.#byPath.get(path) !== resource) return
    this.#byPath.delete(path)
    this.#generation++
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#byPath.get(pathOf(group, version, resource))
  }

  hasGroup(group: string): boolean {
    for (const resource of this.#byPath.values()) if (resource.group === group) return true
    return false
  }

  findKind(group: string, version: string, kind: string): ServedResource | undefined {
    for (const resource of this.#byPath.values()) {
      if (resource.group === group && resource.version === version && resource.kind === kind) return resource
    }
    return undefined
  }

  all(): readonly ServedResource[] {
    return [...this.#byPath.values()]
  }
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`
}
