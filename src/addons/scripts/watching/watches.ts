/** Watches shared by bindings: one list and one watch per resource, namespace and selector, kept as long as a binding uses it. */
import type { Program } from '../../../jq/index.ts'
import {
  type Cache,
  createReflector,
  type KubeClient,
  keyOf,
  type ResourceClient,
  type ResourceType,
} from '../../../kube/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import { filterFailure } from '../secret-errors.ts'
import { type CombinedNeeds, type FilterReport, type KeptObject, projection } from './projection.ts'

export interface Selection {
  readonly type: ResourceType
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface Scope extends Selection {
  /** All namespaces when absent. */
  readonly namespace?: string
}

export interface WatchNeed {
  readonly filter?: Program
  /** Hooks get the filter's results; otherwise results are only compared. */
  readonly needsResult: boolean
  readonly isWhole: boolean
}

export interface SharedWatch {
  readonly cache: Cache<KeptObject>
  /** Resolves when the first list has arrived or failed. */
  readonly settled: Promise<void>
  /** The index of the filter in `Kept.results`. */
  slotOf(filter: Program): number
  /** To be called once for each `open`. */
  close(): void
}

export interface WatchReport extends Pick<FilterReport, 'took'> {
  /** A list failed. */
  refused(error: unknown): void
}

interface Entry extends SharedWatch {
  readonly needs: CombinedNeeds
  readonly ending: AbortController
  readonly ended: Promise<void>
  users: number
}

export class Watches {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #report: WatchReport
  readonly #announced = new Map<string, WatchNeed[]>()
  readonly #entries = new Map<string, Entry[]>()
  readonly #ended = new Set<Promise<void>>()

  constructor(client: KubeClient, runtime: Runtime, report: WatchReport) {
    this.#client = client
    this.#runtime = runtime
    this.#report = report
  }

  /** Announces the needs of a binding, so that a watch opened by another binding can be shared. */
  announce(selection: Selection, need: WatchNeed): void {
    const key = selectionKey(selection)
    const known = this.#announced.get(key) ?? []
    // A hook that is removed and added again announces the same needs.
    if (!known.some((one) => isSame(one, need))) this.#announced.set(key, [...known, need])
  }

  open(scope: Scope, need: WatchNeed): SharedWatch {
    const key = `${scope.namespace ?? ''}|${selectionKey(scope)}`
    const known = this.#entries.get(key) ?? []
    const entry = known.find(({ needs }) => covers(needs, need)) ?? this.#begin(scope, need)
    entry.users++
    if (!known.includes(entry)) this.#entries.set(key, [...known, entry])
    let isOpen = true
    const close = () => {
      if (!isOpen) return
      isOpen = false
      entry.users--
      if (entry.users > 0) return
      entry.ending.abort()
      const left = (this.#entries.get(key) ?? []).filter((one) => one !== entry)
      if (left.length === 0) this.#entries.delete(key)
      else this.#entries.set(key, left)
    }
    return { cache: entry.cache, settled: entry.settled, slotOf: entry.slotOf, close }
  }

  /** Ends all watches. */
  async stop(): Promise<void> {
    for (const entries of this.#entries.values()) for (const { ending } of entries) ending.abort()
    await Promise.all(this.#ended)
  }

  #begin(scope: Scope, need: WatchNeed): Entry {
    const { type, ...selection } = scope
    const needs = combined([...(this.#announced.get(selectionKey(scope)) ?? []), need])
    let settle = () => {}
    const settled = new Promise<void>((resolve) => {
      settle = resolve
    })
    const failed = (error: unknown) => {
      this.#report.refused(error)
      settle()
    }
    const reflector = createReflector<KeptObject>(reportingFailures(this.#client.of(type), failed), this.#runtime, {
      ...selection,
      project: projection(needs, this.#runtime.clock, {
        took: this.#report.took,
        failed: (filter, object, error) =>
          this.#runtime.log.error('jqFilter failed for an object: ignoring this change', {
            jqFilter: filter.source,
            kind: type.kind,
            object: keyOf(object),
            error: filterFailure(type.kind, error),
          }),
      }),
    })
    const { cache } = reflector
    cache.subscribe((change) => {
      if (change.type === 'updated') keepPreviousResults(change.previous, change.value)
    })
    void cache.synced.then(settle)
    const ending = new AbortController()
    const ended = reflector.run(ending.signal)
    this.#ended.add(ended)
    void ended.then(() => this.#ended.delete(ended))
    const slots = new Map(needs.filters.map(({ program }, index) => [program.source, index]))
    return {
      cache,
      settled,
      needs,
      ending,
      ended,
      users: 0,
      slotOf: ({ source }) => slots.get(source) ?? -1,
      close() {},
    }
  }
}

/** Keeps the previous result of a filter that failed. */
function keepPreviousResults(previous: KeptObject, kept: KeptObject): void {
  for (const [index, result] of kept.results.entries()) kept.results[index] = result ?? previous.results[index]
}

function reportingFailures(client: ResourceClient, failed: (error: unknown) => void): ResourceClient {
  const gather: ResourceClient['gather'] = (keep, options) =>
    client.gather(keep, options).catch((error: unknown) => {
      failed(error)
      throw error
    })
  return { ...client, gather }
}

function selectionKey({ type, labelSelector = '', fieldSelector = '' }: Selection): string {
  return [type.group, type.version, type.resource, labelSelector, fieldSelector].join('|')
}

function isSame(one: WatchNeed, other: WatchNeed): boolean {
  return (
    one.filter?.source === other.filter?.source &&
    one.needsResult === other.needsResult &&
    one.isWhole === other.isWhole
  )
}

function covers({ filters, isWhole }: CombinedNeeds, need: WatchNeed): boolean {
  const { filter, needsResult } = need
  const found = filters.find(({ program }) => program.source === filter?.source)
  const isFiltered = filter === undefined || (found !== undefined && (found.needsResult || !needsResult))
  return isFiltered && (isWhole || !need.isWhole)
}

/** Combines needs; programs with the same text are one filter. */
function combined(needs: readonly WatchNeed[]): CombinedNeeds {
  const filters = new Map<string, { readonly program: Program; readonly needsResult: boolean }>()
  for (const { filter: program, needsResult } of needs) {
    if (program === undefined) continue
    const { source } = program
    filters.set(source, { program, needsResult: needsResult || filters.get(source)?.needsResult === true })
  }
  return { filters: [...filters.values()], isWhole: needs.some(({ isWhole }) => isWhole) }
}
