/**
 * The metrics of hooks, separate from the operator's own. Metrics without a group are kept; the metrics of a group are replaced by every
 * run that reports the group.
 */
import type { Labels } from '../../../runtime/index.ts'
import { type FamilyType, MetricFamily } from './family.ts'
import type { MetricOperation } from './operation.ts'

const types = { add: 'counter', set: 'gauge', observe: 'histogram' } as const satisfies Record<string, FamilyType>

export class HookMetrics {
  readonly #families = new Map<string, MetricFamily>()

  /**
   * Applies the operations of one run, with `owner` (the hook, the module) added to the labels. Returns errors; with an error nothing is
   * applied, because the run is retried and would count twice.
   */
  apply(operations: readonly MetricOperation[], owner: Labels): readonly string[] {
    const groups = new Set(operations.flatMap((operation) => ('group' in operation ? (operation.group ?? []) : [])))
    const errors = this.#conflicts(operations, groups)
    if (errors.length > 0) return errors
    for (const group of groups) this.#expire(group)
    for (const operation of operations) {
      if (operation.action === 'expire') continue
      const family = this.#family(operation)
      const labels = { ...operation.labels, ...owner }
      if (operation.action === 'observe') family.observe(operation.value, labels)
      else family[operation.action](operation.value, labels, operation.group)
    }
    return []
  }

  /** In the Prometheus text format. */
  render(): string {
    return [...this.#families.values()].map((family) => family.render()).join('\n')
  }

  /** Metrics whose type would change, after `groups` have expired. */
  #conflicts(operations: readonly MetricOperation[], groups: ReadonlySet<string>): readonly string[] {
    const known = new Map<string, FamilyType>()
    for (const family of this.#families.values()) if (family.outlives(groups)) known.set(family.name, family.type)
    return operations.flatMap((operation) => {
      if (operation.action === 'expire') return []
      const { name, action } = operation
      const type = known.get(name) ?? types[action]
      known.set(name, type)
      return type === types[action] ? [] : [`metric ${name} is already a ${type} and cannot be used with "${action}"`]
    })
  }

  #expire(group: string): void {
    for (const family of this.#families.values()) {
      family.expire(group)
      // An unused name may be used again with another type.
      if (family.isEmpty) this.#families.delete(family.name)
    }
  }

  #family(operation: Exclude<MetricOperation, { readonly action: 'expire' }>): MetricFamily {
    let family = this.#families.get(operation.name)
    if (family === undefined) {
      const bounds = operation.action === 'observe' ? operation.buckets : undefined
      family = new MetricFamily(operation.name, types[operation.action], bounds)
      this.#families.set(operation.name, family)
    }
    return family
  }
}
