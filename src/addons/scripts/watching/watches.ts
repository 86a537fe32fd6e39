/**
 * Watches that bindings share: one list and one watch per resource, namespace and selector, however many bindings look at it, kept as
 * long as anybody does.
 */
import type { Program } from '../../../jq/program.ts'
import type { KubeClient, ResourceClient } from '../../../kube/client/client.ts'
import { keyOf, type ResourceType } from '../../../kube/object.ts'
import type { Cache } from '../../../kube/reflector/cache.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { filterFailure } from '../secrecy.ts'
import { type FilterReport, type Kept, type Needs, projection } from './projection.ts'

export interface Selection {
  readonly type: ResourceType
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface Scope extends Selection {
  /** All namespaces when absent. */
  readonly namespace?: string
}

export interface Need {
  readonly filter?: Program
  /** Hooks are told the filter's results; otherwise it is enough to tell two of them apart. */
  readonly isTold: boolean
  readonly isWhole: boolean
}

export interface SharedWatch {
  readonly cache: Cache<Kept>
  /** Resolves when the first list is in, or has failed once. */
  readonly settled: Promise<void>
  /** Where in `Kept.results` those of this filter are. */
  slotOf(filter: Program): number
  /** To be called once by everyone who opened it. */
  close(): void
}

export interface WatchReport extends Pick<FilterReport, 'took'> {
  /** A list was refused or did not come. */
  refused(error: unknown): void
}

interface Entry extends SharedWatch {
  readonly needs: Needs
  readonly ending: AbortController
  readonly ended: Promise<void>
  users: number
}

export class Watches {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #report: WatchReport
  readonly #announced = new Map<string, Need[]>()
  readonly #entries = new Map<string, Entry[]>()
  readonly #ended = new Set<Promise<void>>()

  constructor(client: KubeClient, runtime: Runtime, report: WatchReport) {
    this.#client = client
    this.#runtime = runtime
    this.#report = report
  }

  /** Says what will be needed of a selection, so that a watch opened by one binding serves the next one too. */
  announce(selection: Selection, need: Need): void {
    const key = selectionKey(selection)
    const known = this.#announced.get(key) ?? []
    // Hooks that go and come back say it each time.
    if (!known.some((one) => isSame(one, need))) this.#announced.set(key, [...known, need])
  }

  open(scope: Scope, need: Need): SharedWatch {
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

  /** Ends all of them. */
  async stop(): Promise<void> {
    for (const entries of this.#entries.values()) for (const { ending } of entries) ending.abort()
    await Promise.all(this.#ended)
  }

  #begin(scope: Scope, need: Need): Entry {
    const { type, ...selection } = scope
    const needs = joined([...(this.#announced.get(selectionKey(scope)) ?? []), need])
    let settle = () => {}
    const settled = new Promise<void>((resolve) => {
      settle = resolve
    })
    const failed = (error: unknown) => {
      this.#report.refused(error)
      settle()
    }
    const reflector = createReflector<Kept>(tellingFailures(this.#client.of(type), failed), this.#runtime, {
      ...selection,
      project: projection(needs, this.#runtime.clock, {
        took: this.#report.took,
        failed: (filter, object, error) =>
          this.#runtime.log.error('jqFilter failed for an object: this change of it is left out', {
            jqFilter: filter.source,
            kind: type.kind,
            object: keyOf(object),
            error: filterFailure(type.kind, error),
          }),
      }),
    })
    const { cache } = reflector
    cache.subscribe((change) => {
      if (change.type === 'updated') takeOver(change.previous, change.value)
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

/** What a filter that failed had given before still counts. */
function takeOver(previous: Kept, kept: Kept): void {
  for (const [index, result] of kept.results.entries()) kept.results[index] = result ?? previous.results[index]
}

function tellingFailures(client: ResourceClient, failed: (error: unknown) => void): ResourceClient {
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

function isSame(one: Need, other: Need): boolean {
  return one.filter?.source === other.filter?.source && one.isTold === other.isTold && one.isWhole === other.isWhole
}

function covers({ filters, isWhole }: Needs, need: Need): boolean {
  const { filter, isTold } = need
  const found = filters.find(({ program }) => program.source === filter?.source)
  const isFiltered = filter === undefined || (found !== undefined && (found.isTold || !isTold))
  return isFiltered && (isWhole || !need.isWhole)
}

/** Programs of the same text are one. */
function joined(needs: readonly Need[]): Needs {
  const filters = new Map<string, { readonly program: Program; readonly isTold: boolean }>()
  for (const { filter: program, isTold } of needs) {
    if (program === undefined) continue
    const { source } = program
    filters.set(source, { program, isTold: isTold || filters.get(source)?.isTold === true })
  }
  return { filters: [...filters.values()], isWhole: needs.some(({ isWhole }) => isWhole) }
}
