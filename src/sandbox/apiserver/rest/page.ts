/**
 * One page of a list. All pages are read at the revision of the first page while it is in the history window; later the
 * client gets 410 with a token that continues at the current revision.
 */
import { expired, StatusError } from '../status/status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { decodeContinue, encodeContinue } from './continue.ts'
import { listOptionsOf } from './list-options.ts'
import { collectionOf, keyOf, type ResourceRequest } from './request.ts'
import { type Selection, selectionOf } from './selection.ts'
import { waitForRevision } from './wait-for-revision.ts'

export interface Page {
  readonly found: readonly Stored[]
  readonly revision: number
  readonly continue?: string
  readonly remaining?: number
}

export async function pageOf(request: ResourceRequest): Promise<Page> {
  const { query, parts } = request
  const options = listOptionsOf(query, false)
  const selection = selectionOf(request)
  const { resourceVersion, match, limit } = options
  if (resourceVersion !== undefined && resourceVersion > 0) await waitForRevision(request, resourceVersion)
  const start = options.continue === '' ? undefined : decodeContinue(options.continue)
  const exact = match === 'Exact' || (match === '' && limit > 0 && start === undefined && (resourceVersion ?? 0) > 0)
  const revision = start?.revision ?? (exact ? resourceVersion : undefined) ?? -1
  const candidates = snapshot(request, selection, revision, start?.after ?? '')
  if (candidates === undefined) throw start === undefined ? tooOld() : continueTooOld(start.after)
  return paged(candidates, selection, limit, revision === -1 ? parts.store.revision : revision)
}

/** Keys and objects at a revision (-1: current), after a key; undefined when that revision is compacted. */
function snapshot(
  request: ResourceRequest,
  selection: Selection,
  revision: number,
  after: string,
): Iterable<[string, Stored]> | undefined {
  const { resource, info, parts } = request
  const collection = collectionOf(request)
  const prefix = resource.namespaced && info.namespace !== '' ? `${info.namespace}/` : ''
  if (revision !== -1 && revision !== parts.store.revision && collection.lastRevision > revision) {
    const objects = collection.at(revision)
    if (objects === undefined) return undefined
    return [...objects].filter(([key]) => key.startsWith(prefix) && key > after).sort(([a], [b]) => (a < b ? -1 : 1))
  }
  if (selection.name !== undefined && (!resource.namespaced || prefix !== '')) {
    const key = keyOf(resource, info.namespace, selection.name)
    const stored = collection.get(key)
    return stored === undefined || key <= after ? [] : [[key, stored]]
  }
  return collection.range(prefix, after)
}

function paged(candidates: Iterable<[string, Stored]>, selection: Selection, limit: number, revision: number): Page {
  const found: Stored[] = []
  let last = ''
  let more = false
  let remaining = 0
  for (const [key, stored] of candidates) {
    if (limit > 0 && found.length === limit) {
      more = true
      if (!selection.isUnfiltered) break
      remaining++
      continue
    }
    if (!selection.matches(stored.object)) continue
    found.push(stored)
    last = key
  }
  if (!more) return { found, revision }
  const token = encodeContinue({ revision, after: last })
  return { found, revision, continue: token, ...(selection.isUnfiltered ? { remaining } : {}) }
}

function tooOld(): StatusError {
  return expired('The resourceVersion for the provided list is too old.')
}

function continueTooOld(after: string): StatusError {
  return new StatusError(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    undefined,
    { continue: encodeContinue({ revision: -1, after }) },
  )
}
