/** The runs of an item's hooks: from its page of the journal, and from the memory of an operator that can be reached. */
import type { DeployItem } from '../../../deployers/index.ts'
import { type RunRecord, readJournal } from '../../../hooks/index.ts'
import { isForbidden } from '../../../kube/index.ts'
import type { CliContext } from '../../context.ts'
import type { Place } from '../../place.ts'
import { askMemory } from '../../runs/memory.ts'

/** Oldest first. Who may not read the journal is shown what the memory has. */
export async function runsOfItem(
  context: CliContext,
  { client }: Place,
  { apiVersion, metadata }: DeployItem,
  { operator }: { readonly operator?: string },
): Promise<readonly RunRecord[]> {
  const { name, namespace = '', uid = '' } = metadata
  const owner = { apiVersion: apiVersion ?? '', kind: 'DeployItem', name, uid }
  const [entries, memory = []] = await Promise.all([
    readJournal(client, { surface: 'deployers', namespace, owner }).catch((error: unknown) => {
      if (isForbidden(error)) return []
      throw error
    }),
    askMemory(context, operator === undefined ? {} : { operator }),
  ])
  const runs = new Map<string, RunRecord>()
  for (const entry of entries) if (entry.key !== undefined) runs.set(entry.key, { ...entry, key: entry.key })
  for (const run of memory) {
    const { kind, ...subject } = run.subject
    if (kind === 'DeployItem' && subject.name === name && subject.namespace === namespace) runs.set(run.key, run)
  }
  return [...runs.values()].map(({ log: _, ...run }) => run).toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
}

function timeOf({ endedAt, startedAt = '' }: RunRecord): string {
  return endedAt ?? `~${startedAt}`
}
