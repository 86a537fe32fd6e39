/** Reads `kubernetes` bindings of v1 and `onKubernetesEvent` bindings of v0 into one type. */
import type { CompileOptions } from '../../../jq/index.ts'
import { labelSelectorText } from '../../../kube/index.ts'
import type { Fields } from './fields.ts'
import { readJqFilter } from './programs.ts'
import { readFieldSelector, readLabelSelector } from './selectors.ts'
import type { KubernetesBinding, NamespaceChoice, WatchEvent } from './types.ts'

const watchEvents = ['Added', 'Modified', 'Deleted'] as const

export const mainQueue = 'main'

export function readKubernetesBinding(fields: Fields, jq: CompileOptions): KubernetesBinding {
  const apiVersion = fields.nonEmpty('apiVersion')
  const group = fields.nonEmpty('group')
  const queue = fields.nonEmpty('queue')
  const selectors = readSelectors(fields)
  const jqFilter = readJqFilter(fields, jq)
  const olderEvents = fields.choices('watchEvent', watchEvents)
  const events = fields.choices('executeHookOnEvent', watchEvents) ?? olderEvents
  const binding: KubernetesBinding = {
    name: fields.nonEmpty('name') ?? 'kubernetes',
    kind: fields.required('kind'),
    executeHookOnEvent: events ?? watchEvents,
    executeHookOnSynchronization: fields.boolean('executeHookOnSynchronization') ?? true,
    // In the main queue every hook has to wait for the Synchronization anyway.
    waitForSynchronization: (fields.boolean('waitForSynchronization') ?? true) || queue === undefined,
    keepFullObjectsInMemory: fields.boolean('keepFullObjectsInMemory') ?? true,
    namespaces: namespacesOf(fields.object('namespace')),
    disableDebug: false,
    allowFailure: fields.boolean('allowFailure') ?? false,
    queue: queue ?? mainQueue,
    includeSnapshotsFrom: fields.texts('includeSnapshotsFrom') ?? [],
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(group === undefined ? {} : { group }),
    ...selectors,
    ...(jqFilter === undefined ? {} : { jqFilter }),
  }
  if (fields.has('resynchronizationPeriod'))
    fields.findings.warn(fields.at('resynchronizationPeriod'), 'has no effect: watches do not miss events')
  fields.end()
  return binding
}

function readSelectors(fields: Fields): Pick<KubernetesBinding, 'names' | 'labelSelector' | 'fieldSelector'> {
  const matched = matchNames(fields.object('nameSelector'))
  // As with namespaces, an empty list selects all.
  const names = matched?.length === 0 ? undefined : matched
  const labelSelector = selectorText(fields.object('labelSelector'))
  const fieldSelector = fieldSelectorOf(fields)
  if (names !== undefined && /(^|,)metadata\.name(=|!=)/.test(fieldSelector ?? ''))
    fields.error('fieldSelector', 'metadata.name cannot be selected here and in nameSelector')
  return {
    ...(names === undefined ? {} : { names }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  }
}

const v0Events: Readonly<Record<string, WatchEvent>> = { add: 'Added', update: 'Modified', delete: 'Deleted' }

/** v0 hooks get only kind, namespace and name, so objects are not kept in memory. */
export function readKubernetesEvent(fields: Fields, jq: CompileOptions): KubernetesBinding {
  const events = fields.choices('event', ['add', 'update', 'delete'])
  const isEmpty = Array.isArray(fields.raw('event')) && (fields.raw('event') as unknown[]).length === 0
  if (isEmpty) fields.findings.warn(fields.at('event'), 'is empty, so the hook never runs for this binding')
  const labelSelector = selectorText(fields.object('selector'))
  const objectName = fields.nonEmpty('objectName')
  const jqFilter = readJqFilter(fields, jq)
  const binding: KubernetesBinding = {
    name: fields.nonEmpty('name') ?? 'onKubernetesEvent',
    kind: fields.required('kind'),
    executeHookOnEvent: events?.flatMap((event) => v0Events[event] ?? []) ?? watchEvents,
    executeHookOnSynchronization: false,
    waitForSynchronization: true,
    keepFullObjectsInMemory: false,
    namespaces: v0NamespacesOf(fields.object('namespaceSelector')),
    disableDebug: fields.boolean('disableDebug') ?? false,
    allowFailure: fields.boolean('allowFailure') ?? false,
    queue: mainQueue,
    includeSnapshotsFrom: [],
    ...(objectName === undefined ? {} : { names: [objectName] }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(jqFilter === undefined ? {} : { jqFilter }),
  }
  fields.end()
  return binding
}

function matchNames(selector: Fields | undefined): readonly string[] | undefined {
  const names = selector?.texts('matchNames')
  selector?.end()
  return names
}

function selectorText(selector: Fields | undefined): string | undefined {
  const text = selector === undefined ? '' : labelSelectorText(readLabelSelector(selector))
  return text === '' ? undefined : text
}

function fieldSelectorOf(fields: Fields): string | undefined {
  const selector = fields.object('fieldSelector')
  const text = selector === undefined ? '' : readFieldSelector(selector)
  return text === '' ? undefined : text
}

/** A label selector takes precedence over names. */
function namespacesOf(namespace: Fields | undefined): NamespaceChoice {
  const names = matchNames(namespace?.object('nameSelector'))
  const selector = selectorText(namespace?.object('labelSelector'))
  namespace?.end()
  if (selector !== undefined) return { of: 'labels', selector }
  return names === undefined || names.length === 0 ? { of: 'all' } : { of: 'names', names }
}

/** `any: true` takes precedence over names; `any: false` without names watches nothing. */
function v0NamespacesOf(selector: Fields | undefined): NamespaceChoice {
  const any = selector?.boolean('any')
  const names = selector?.texts('matchNames')
  selector?.end()
  if (any === true || (any === undefined && names === undefined)) return { of: 'all' }
  return { of: 'names', names: names ?? [] }
}
