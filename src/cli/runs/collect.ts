/** The runs of all surfaces, from the journal in the cluster and from the memory of an operator that can be reached. */
import { type JournalEntry, type RunRecord, readPages } from '../../hooks/index.ts'
import { isForbidden, type KubeClient } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { askMemory, type MemoryOptions } from './memory.ts'

export interface ListedRun extends RunRecord {
  readonly keptIn: 'journal' | 'memory' | 'both'
}

export interface Place {
  readonly client: KubeClient
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined
  readonly surface?: string | undefined
  /** Logs are left out unless they are asked for: a page holds up to half a megabyte of them. */
  readonly withLogs?: true
}

/** Oldest first, by their end; runs under way last. */
export async function collectRuns(
  context: CliContext,
  place: Place,
  options: MemoryOptions,
): Promise<readonly ListedRun[]> {
  const [journal, memory] = await Promise.all([
    readJournals(context, place).catch((error: unknown) => error),
    askMemory(context, options),
  ])
  if (!Array.isArray(journal) && memory === undefined) throw journal
  if (!Array.isArray(journal)) warn(context, journal)
  const journaled = Array.isArray(journal) ? (journal as readonly JournalEntry[]) : []
  const uids = await workloadUids(place, journaled)
  const runs = new Map<string, ListedRun>()
  for (const entry of journaled) {
    const key = entry.key ?? derivedKey(entry, uids)
    runs.set(key, { ...entry, key, keptIn: 'journal' })
  }
  for (const run of memory ?? []) {
    if (!isInPlace(run, place)) continue
    const known = runs.get(run.key)
    const log = run.log ?? known?.log
    const { log: _, ...facts } = { ...known, ...run }
    runs.set(run.key, {
      ...facts,
      ...(log === undefined || place.withLogs !== true ? {} : { log }),
      keptIn: known === undefined ? 'memory' : 'both',
    })
  }
  return [...runs.values()].sort(byTime)
}

/** Runs that are about no object of a namespace are shown whichever namespace was asked for. */
function isInPlace({ surface, subject }: RunRecord, place: Place): boolean {
  if (place.surface !== undefined && place.surface !== surface) return false
  return place.namespace === undefined || subject.namespace === '' || subject.namespace === place.namespace
}

function readJournals(
  { signal }: CliContext,
  { client, namespace, surface, withLogs }: Place,
): Promise<readonly JournalEntry[]> {
  const where = {
    signal,
    ...(namespace === undefined ? {} : { namespace }),
    ...(surface === undefined ? {} : { surface }),
  }
  return readPages(client, where, ({ log, ...entry }) =>
    withLogs === true && log !== undefined ? { ...entry, log } : entry,
  )
}

function warn({ stderr }: CliContext, error: unknown): void {
  if (!isForbidden(error)) throw error
  stderr.write(
    'The journal cannot be read (no right to list ConfigMaps): only runs in the memory of the operator are shown.\n',
  )
}

/** Entries of rollouts leave out their key, which has the uid of the workload. */
function derivedKey(entry: JournalEntry, uids: ReadonlyMap<string, string>): string {
  const { surface, subject, lifecycle, point, hook, attempt } = entry
  const { kind, namespace, name } = subject
  const uid = uids.get(`${kind}/${namespace}/${name}`) ?? `${kind}:${namespace}:${name}`
  return [surface, uid, lifecycle, point, hook, attempt].join('/')
}

const workloadTypes = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
} as const

async function workloadUids(
  { client, namespace }: Place,
  entries: readonly JournalEntry[],
): Promise<ReadonlyMap<string, string>> {
  const kinds = new Set(entries.filter(({ key }) => key === undefined).map(({ subject }) => subject.kind))
  const uids = new Map<string, string>()
  for (const [kind, type] of Object.entries(workloadTypes)) {
    if (!kinds.has(kind)) continue
    try {
      for await (const { items } of client.of(type).pages(namespace === undefined ? {} : { namespace }))
        for (const { metadata } of items) uids.set(`${kind}/${metadata.namespace}/${metadata.name}`, metadata.uid ?? '')
    } catch (error) {
      if (!isForbidden(error)) throw error
    }
  }
  return uids
}

function byTime(one: RunRecord, other: RunRecord): number {
  const [a, b] = [timeOf(one), timeOf(other)]
  return a === b ? 0 : a < b ? -1 : 1
}

/** A run under way counts as newer than every run that has ended. */
function timeOf({ outcome, startedAt = '', endedAt = '' }: RunRecord): string {
  return outcome === 'running' ? `~${startedAt}` : endedAt
}

/** The only run whose key, short key or name of its object is meant. */
export function findRun(runs: readonly ListedRun[], meant: string, shortKeyOf: (key: string) => string): ListedRun {
  const exact = runs.filter(
    ({ key }) => key === meant || shortKeyOf(key) === meant || meant.endsWith(`-${shortKeyOf(key)}`),
  )
  const found =
    exact.length > 0 ? exact : runs.filter(({ key }) => key.startsWith(meant) || shortKeyOf(key).startsWith(meant))
  const [only, ...others] = found
  if (only === undefined)
    throw new CarabinerError('CRB_USAGE', `no run is known by the key ${meant}`, {
      remedy:
        'List the runs that are kept: carabiner runs -A. Old runs are removed from the journal when its pages are full.',
    })
  if (others.length === 0) return only
  const some = found.slice(0, 5).map(({ key }) => shortKeyOf(key))
  const more = found.length > some.length ? ` and ${found.length - some.length} more` : ''
  throw new CarabinerError('CRB_USAGE', `${meant} is the start of several keys: ${some.join(', ')}${more}`, {
    remedy: 'Give more of the key.',
  })
}
