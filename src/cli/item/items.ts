/** Deploy items as commands find and list them, and their progress. */
import {
  type DeployItem,
  isAtWork,
  isFinal,
  landscaperResources,
  operationOf,
  operations,
  pickupReason,
  prepare,
  type Target,
} from '../../deployers/index.ts'
import { isForbidden, isNotFound, type ResourceClient } from '../../kube/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { Outcome } from '../outcome.ts'
import type { Place } from '../place.ts'
import type { Listing } from '../terminal/listing.ts'
import { age } from '../terminal/span.ts'

export const itemHelp = 'name of the deploy item'

/** Of one moment, because ages are shown. */
export const itemListing = (now: number): Listing<DeployItem> => ({
  columns: [
    { head: 'namespace', of: ({ metadata }) => metadata.namespace ?? '', wide: true },
    { head: 'item', of: ({ metadata }) => metadata.name },
    { head: 'type', of: ({ spec }) => spec.type },
    { head: 'target', of: ({ spec }) => spec.target?.name ?? '' },
    { head: 'phase', of: (item) => phaseOf(item) },
    { head: 'deployer', of: ({ status }) => status?.deployer?.identity ?? '', wide: true },
    { head: 'last run', of: ({ status }) => ago(status?.lastReconcileTime, now) },
    { head: 'message', of: ({ status }) => status?.lastError?.message ?? '', wide: true },
  ],
  name: itemName,
  none: 'there is no deploy item',
})

export function itemName({ metadata }: DeployItem): string {
  return `deployitem.landscaper.gardener.cloud/${metadata.name}`
}

function ago(time: string | undefined, now: number): string {
  return time === undefined ? '' : `${age(now - Date.parse(time))} ago`
}

export function itemsOf({ client }: Place): ResourceClient<DeployItem> {
  return client.of<DeployItem>(landscaperResources.deployItems)
}

export async function findItem(place: Place, name: string): Promise<DeployItem> {
  const { namespace } = place
  try {
    return await itemsOf(place).get(name, { namespace })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new CarabinerError('CRB_USAGE', `there is no DeployItem ${namespace}/${name}`, {
      remedy: await whereElse(place),
    })
  }
}

async function whereElse(place: Place): Promise<string> {
  const { namespace } = place
  try {
    const others = (await listItems(place, { namespace })).map(({ metadata }) => metadata.name)
    if (others.length > 0) return `Namespace ${namespace} has ${some(others)}; -n chooses another namespace.`
  } catch (error) {
    // Without the right to list items the remedy is shorter; the error stays the same.
    if (isForbidden(error)) return `Check the name; -n chooses another namespace than ${namespace}.`
    throw error
  }
  return `Namespace ${namespace} has none: choose another with -n; \`carabiner item list -A\` lists all.`
}

/** Those of a namespace, or of all. */
export async function listItems(place: Place, where: { readonly namespace?: string }): Promise<readonly DeployItem[]> {
  try {
    return (await itemsOf(place).list(where)).items
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new CarabinerError('CRB_RESOURCE_NOT_SERVED', 'this cluster does not serve deploy items', {
      cause: error,
      remedy: 'Check that it is the right cluster; `carabiner install --deployers manifest` brings them to one.',
    })
  }
}

const mostNames = 5

function some(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${names.slice(0, mostNames).join(', ')}${more}`
}

/** The target an item names; undefined when it names none or there is none of that name. */
export async function findTarget({ client, namespace }: Place, { spec }: DeployItem): Promise<Target | undefined> {
  if (spec.target === undefined) return undefined
  try {
    return await client.of<Target>(landscaperResources.targets).get(spec.target.name, { namespace })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The phase, also of an item that has none yet. */
export function phaseOf({ status }: DeployItem): string {
  return status?.phase ?? 'not picked up'
}

/** A final phase is not the end when it belongs to an older spec, or when an operation was requested since. */
export function outcomeOf(item: DeployItem): Outcome {
  const { phase, lastError } = item.status ?? {}
  if (phase === 'Failed' && lastError?.reason === pickupReason) return 'failed'
  const isAborting = operationOf(item) === operations.abort && isAtWork(phase)
  if (prepare(item).reason !== undefined || isAborting || !isFinal(phase)) return 'going'
  return phase === 'Succeeded' ? 'settled' : 'failed'
}
