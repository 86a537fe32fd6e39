/**
 * The journal of hook runs, the same for every surface: how each run ended and the end of its log, kept after its pod is deleted and after
 * this process has ended. Pages are ConfigMaps owned by the subject of the runs. Entries are collected before they are written, so that a
 * page is written at most once per interval unless a caller asks for it.
 */

import { type BackgroundQueue, isForbidden, isNamespaceEnding, isNotFound, type KubeClient } from '../../kube/index.ts'
import type { Runtime, Timer } from '../../runtime/index.ts'
import { entryKey, type JournalEntry } from './entry.ts'
import { pageLimits } from './page.ts'
import { type Page, pageName, writePage } from './stored-page.ts'

/** A page with entries that are not written yet. */
interface OpenPage {
  readonly page: Page
  readonly entries: Map<string, JournalEntry>
  readonly logs: Set<Promise<void>>
  bytes: number
  failures: number
  timer?: Timer
}

/** How long entries are collected; a process that dies loses at most the runs that ended within it. */
const collectForMs = 30_000
/** Of all pages together; above it everything is written at once. */
const maxCollectedBytes = 4 * 1024 * 1024
const maxWriteFailures = 5

export class Journal {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #background: BackgroundQueue
  readonly #signal: AbortSignal
  readonly #open = new Map<string, OpenPage>()
  readonly #writing = new Set<Promise<void>>()
  /** Pages that this process has no right to write. */
  readonly #forbidden = new Set<string>()
  #bytes = 0

  /** Once `signal` is aborted, requests under way are given up. */
  constructor(
    client: KubeClient,
    runtime: Runtime,
    { background, signal }: { readonly background: BackgroundQueue; readonly signal: AbortSignal },
  ) {
    this.#client = client
    this.#runtime = runtime
    this.#background = background
    this.#signal = signal
  }

  /** Adds an entry; its log may arrive later. */
  note(page: Page, entry: JournalEntry, log?: Promise<string | undefined>): void {
    if (this.#forbidden.has(keyOf(page))) return
    const open = this.#openPage(page)
    const key = entryKey(entry)
    const earlier = open.entries.get(key)
    open.entries.set(key, earlier?.key === entry.key ? { ...earlier, ...entry } : entry)
    // The page keeps no more than its limit anyway.
    const [oldest] = open.entries.keys()
    if (open.entries.size > pageLimits.entries && oldest !== undefined) open.entries.delete(oldest)
    if (log === undefined) return
    const arrives = log.then(
      (text) => {
        if (text === undefined || text === '') return
        const latest = open.entries.get(key)
        if (latest !== undefined && latest.key !== entry.key) return
        open.entries.set(key, { ...(latest ?? entry), log: text })
        open.bytes += text.length
        this.#bytes += text.length
        if (this.#bytes > maxCollectedBytes) for (const one of [...this.#open.values()]) this.keep(one.page)
      },
      () => undefined,
    )
    open.logs.add(arrives)
    void arrives.then(() => open.logs.delete(arrives))
  }

  /** Writes the page as soon as the logs of its entries have arrived. */
  keep(page: Page): void {
    const key = keyOf(page)
    const open = this.#open.get(key)
    if (open === undefined) return
    open.timer?.cancel()
    this.#open.delete(key)
    const writing = this.#write(open).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  /** Writes everything; called before the process ends. */
  async close(): Promise<void> {
    for (const { page } of [...this.#open.values()]) this.keep(page)
    await Promise.all(this.#writing)
    for (const { timer } of this.#open.values()) timer?.cancel()
  }

  #openPage(page: Page): OpenPage {
    const key = keyOf(page)
    const found = this.#open.get(key)
    if (found !== undefined) return found
    const open: OpenPage = { page, entries: new Map(), logs: new Set(), bytes: 0, failures: 0 }
    open.timer = this.#runtime.clock.after(collectForMs, () => this.keep(page))
    this.#open.set(key, open)
    return open
  }

  async #write(open: OpenPage): Promise<void> {
    await Promise.all(open.logs)
    this.#bytes -= open.bytes
    try {
      await this.#background.run(() => writePage(this.#client, open.page, open.entries, this.#signal))
    } catch (error) {
      const { namespace, owner } = open.page
      const about = { namespace, page: pageName(open.page) }
      if (isNotFound(error) || isNamespaceEnding(error))
        this.#runtime.log.debug('journal not kept: its namespace is gone', about)
      else if (!this.#signal.aborted && open.failures + 1 < maxWriteFailures) this.#putBack(open)
      else {
        // Script hooks may run with rights that leave ConfigMaps out: that is their owner's choice, and is reported once.
        const isChosen = owner === undefined && isForbidden(error)
        if (isChosen) this.#forbidden.add(keyOf(open.page))
        this.#runtime.log[isChosen ? 'info' : 'warn']('journal not kept', { ...about, error })
      }
    }
  }

  #putBack({ page, entries, bytes, failures }: OpenPage): void {
    const open = this.#openPage(page)
    for (const [key, entry] of entries) if (!open.entries.has(key)) open.entries.set(key, entry)
    open.bytes += bytes
    open.failures = failures + 1
    this.#bytes += bytes
  }
}

function keyOf({ surface, namespace, owner }: Page): string {
  return `${surface}/${namespace}/${owner?.kind}/${owner?.name}/${owner?.uid}`
}
