/**
 * The journal of hook runs, for every surface alike: how each ended and what it said last, after its pod is gone and after our death. Pages
 * are ConfigMaps owned by what they are about. Writes are few: entries wait for each other, until somebody wants the page kept.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { isAlreadyExists, isNamespaceEnding, isNotFound } from '../../kube/errors.ts'
import type { KubeObject, OwnerReference } from '../../kube/object.ts'
import type { BackgroundQueue } from '../../kube/queue/background-queue.ts'
import { resources } from '../../kube/types.ts'
import type { Timer } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { entryKey, isWanted, type JournalEntry, type JournalQuery } from './entry.ts'
import { pageChanges, pageEntries } from './page.ts'

/** On every page: the surface it belongs to. */
const journalLabel = 'carabiner.dev/journal'

/** Which page: the namespace and the object whose end is the end of the page. */
export interface Page {
  readonly surface: string
  readonly namespace: string
  readonly owner: OwnerReference
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

interface Open {
  readonly page: Page
  readonly entries: Map<string, JournalEntry>
  readonly logs: Set<Promise<void>>
  bytes: number
  failures: number
  timer?: Timer
}

/** How long entries wait for others; a death costs at most what ended within it. */
const patience = 30_000
/** Of all pages together; beyond, everything is written at once. */
const mostBytes = 4 * 1024 * 1024
const mostFailures = 5

export class Journal {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #background: BackgroundQueue
  readonly #signal: AbortSignal
  readonly #open = new Map<string, Open>()
  readonly #writing = new Set<Promise<void>>()
  #bytes = 0

  /** Once the signal is aborted, no answer is waited for any more. */
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

  /** Notes how a run ended. Its log may still be on its way. */
  note(page: Page, entry: JournalEntry, log?: Promise<string | undefined>): void {
    const open = this.#openPage(page)
    const key = entryKey(entry)
    open.entries.set(key, { ...open.entries.get(key), ...entry })
    if (log === undefined) return
    const arrives = log.then(
      (text) => {
        if (text === undefined || text === '') return
        open.entries.set(key, { ...(open.entries.get(key) ?? entry), log: text })
        open.bytes += text.length
        this.#bytes += text.length
        if (this.#bytes > mostBytes) for (const one of [...this.#open.values()]) this.keep(one.page)
      },
      () => undefined,
    )
    open.logs.add(arrives)
    void arrives.then(() => open.logs.delete(arrives))
  }

  /** Writes the page as soon as its logs are there. */
  keep(page: Page): void {
    const key = keyOf(page)
    const open = this.#open.get(key)
    if (open === undefined) return
    open.timer?.cancel()
    this.#open.delete(key)
    const writing = this.#write(open).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  /** Writes everything; for the end of this process. */
  async close(): Promise<void> {
    for (const { page } of [...this.#open.values()]) this.keep(page)
    await Promise.all(this.#writing)
    for (const { timer } of this.#open.values()) timer?.cancel()
  }

  #openPage(page: Page): Open {
    const key = keyOf(page)
    const found = this.#open.get(key)
    if (found !== undefined) return found
    const open: Open = { page, entries: new Map(), logs: new Set(), bytes: 0, failures: 0 }
    open.timer = this.#runtime.clock.after(patience, () => this.keep(page))
    this.#open.set(key, open)
    return open
  }

  async #write(open: Open): Promise<void> {
    await Promise.all(open.logs)
    this.#bytes -= open.bytes
    try {
      await this.#background.run(() => writePage(this.#client, open.page, open.entries, this.#signal))
    } catch (error) {
      const { namespace, owner } = open.page
      // It goes with its namespace, and nobody misses it there.
      if (isNotFound(error) || isNamespaceEnding(error))
        this.#runtime.log.debug('journal not kept: its namespace is gone', { namespace, owner: owner.name })
      // Without any time left there is nothing to wait for; anything else may pass.
      else if (this.#signal.aborted || open.failures + 1 >= mostFailures)
        this.#runtime.log.warn('journal not kept', { namespace, owner: owner.name, error })
      else this.#putBack(open)
    }
  }

  #putBack({ page, entries, bytes, failures }: Open): void {
    const open = this.#openPage(page)
    for (const [key, entry] of entries) if (!open.entries.has(key)) open.entries.set(key, entry)
    open.bytes += bytes
    open.failures = failures + 1
    this.#bytes += bytes
  }
}

export function pageName({ surface, owner }: Pick<Page, 'surface' | 'owner'>): string {
  return `${owner.name.slice(0, 200)}-${surface}-journal`
}

/** What is kept about the owner of a page, oldest first. */
export async function readJournal(
  client: KubeClient,
  page: Pick<Page, 'surface' | 'namespace' | 'owner'>,
  query: JournalQuery = {},
): Promise<readonly JournalEntry[]> {
  const found = await readPage(client, page)
  return pageEntries(found?.data ?? {}).filter((entry) => isWanted(entry, query))
}

function keyOf({ surface, namespace, owner }: Page): string {
  return `${surface}/${namespace}/${owner.kind}/${owner.name}/${owner.uid}`
}

async function readPage(
  client: KubeClient,
  page: Pick<Page, 'surface' | 'namespace' | 'owner'>,
  within: { readonly signal?: AbortSignal } = {},
) {
  try {
    const { namespace } = page
    return await client.of<ConfigMap>(resources.configMaps).get(pageName(page), { namespace, ...within })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function writePage(
  client: KubeClient,
  page: Page,
  entries: ReadonlyMap<string, JournalEntry>,
  signal: AbortSignal,
): Promise<void> {
  const handle = client.of<ConfigMap>(resources.configMaps)
  const { namespace, surface, owner } = page
  const name = pageName(page)
  const found = await readPage(client, page, { signal })
  if (found === undefined) {
    const data = pageChanges({}, entries) as Record<string, string>
    const metadata = { name, namespace, labels: { [journalLabel]: surface }, ownerReferences: [owner] }
    try {
      await handle.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { answer: 'metadata', signal })
      return
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
  const data = pageChanges(found?.data ?? {}, entries)
  if (Object.keys(data).length === 0) return
  // An owner that was made anew under its old name takes the page over.
  const isForeign = found !== undefined && !found.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)
  const value = { ...(isForeign ? { metadata: { ownerReferences: [owner] } } : {}), data }
  await handle.patch(name, { type: 'merge', value }, { namespace, answer: 'metadata', signal })
}
