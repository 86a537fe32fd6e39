/** Pages of the journal in the cluster: one ConfigMap for each subject, found by their label. */
import { isAlreadyExists, isNotFound, type KubeClient, type KubeObject, type OwnerReference } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { isWanted, type JournalEntry, type JournalQuery } from './entry.ts'
import { pageChanges, pageEntries } from './page.ts'

/** On every page: the surface it belongs to. */
const journalLabel = 'carabiner.dev/journal'

/** Where the entries about one subject are stored. */
export interface Page {
  readonly surface: string
  readonly namespace: string
  /** The page is garbage-collected with it. Runs that are about no object share a page without an owner. */
  readonly owner?: OwnerReference
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

export function pageName({ surface, owner }: Page): string {
  return `${owner?.name.slice(0, 200) ?? 'carabiner'}-${surface}-journal`
}

/** The entries of a page, oldest first. */
export async function readJournal(
  client: KubeClient,
  page: Page,
  query: JournalQuery = {},
): Promise<readonly JournalEntry[]> {
  const found = await readPage(client, page)
  return pageEntries(found?.data ?? {}).filter((entry) => isWanted(entry, query))
}

async function readPage(client: KubeClient, page: Page, within: { readonly signal?: AbortSignal } = {}) {
  try {
    const { namespace } = page
    return await client.of<ConfigMap>(resources.configMaps).get(pageName(page), { namespace, ...within })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export async function writePage(
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
    const metadata = { name, namespace, labels: { [journalLabel]: surface }, ...ownedBy(owner) }
    try {
      await handle.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { answer: 'metadata', signal })
      return
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
  const data = pageChanges(found?.data ?? {}, entries)
  if (Object.keys(data).length === 0) return
  // An owner that was deleted and created again under the same name adopts the page.
  const isAdopted =
    owner !== undefined && found !== undefined && !found.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)
  // No version: entries have keys of their own, so that a concurrent writer's entries stay.
  const value = { ...(isAdopted ? { metadata: ownedBy(owner) } : {}), data }
  await handle.patch(name, { type: 'merge', value }, { namespace, answer: 'metadata', signal })
}

function ownedBy(owner: OwnerReference | undefined): { ownerReferences?: OwnerReference[] } {
  return owner === undefined ? {} : { ownerReferences: [owner] }
}

/** The entries of all pages, of one namespace or of all; `keep` is called for each as its page arrives, so that logs need not be held. */
export async function readPages<T>(
  client: KubeClient,
  where: { readonly namespace?: string; readonly surface?: string; readonly signal?: AbortSignal },
  keep: (entry: JournalEntry) => T | undefined,
): Promise<readonly T[]> {
  const { surface, ...place } = where
  const labelSelector = surface === undefined ? journalLabel : `${journalLabel}=${surface}`
  const kept: T[] = []
  for await (const { items } of client
    .of<ConfigMap>(resources.configMaps)
    .pages({ ...place, labelSelector, limit: 50 }))
    for (const { data = {} } of items)
      for (const entry of pageEntries(data)) {
        const one = keep(entry)
        if (one !== undefined) kept.push(one)
      }
  return kept
}
