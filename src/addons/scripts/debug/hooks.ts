/** Hooks and their bindings for listings. */
import type { HookConfig, KubernetesBinding, NamespaceChoice } from '../config/types.ts'
import type { Hook } from '../hook.ts'

export interface ShownHook {
  readonly name: string
  readonly bindings: readonly ShownBinding[]
}

export interface ShownBinding {
  /** The type in the configuration: `onStartup`, `schedule`, `kubernetes`, … */
  readonly type: string
  readonly name: string
  /** What triggers it: an order, a crontab, a kind, rules. */
  readonly on: string
  /** The queue of its runs; absent for admission and conversion, which are not queued. */
  readonly queue?: string
  /** Selectors, snapshots and other settings that are not the default. */
  readonly details?: string
}

export function showHook({ name, config }: Hook): ShownHook {
  return { name, bindings: bindingsOf(config) }
}

/** One line per hook, then one per binding. */
export function hooksAsText(hooks: readonly ShownHook[]): string {
  if (hooks.length === 0) return 'There are no hooks.\n'
  return hooks
    .map(({ name, bindings }) => {
      const lines = bindings.map(({ type, name: binding, on, queue }) => {
        const where = queue === undefined ? '' : `, queue ${queue}`
        return `  ${type} ${binding === type ? '' : `${binding} `}on ${on}${where}\n`
      })
      return `${name}\n${lines.join('')}`
    })
    .join('')
}

function bindingsOf(config: HookConfig): readonly ShownBinding[] {
  const ordered = (type: string, order: number | undefined): readonly ShownBinding[] =>
    order === undefined ? [] : [{ type, name: type, on: `order ${order}`, queue: 'main' }]
  return [
    ...ordered('onStartup', config.onStartup),
    ...Object.entries(config.orders).flatMap(([type, order]) => ordered(type, order)),
    ...config.schedules.map((binding) => {
      const { name, crontab, queue } = binding
      return { type: 'schedule', name, on: crontab, queue, ...detailsOf(shared(binding)) }
    }),
    ...config.kubernetes.map((binding) => {
      const { name, kind, apiVersion, executeHookOnEvent, queue } = binding
      return {
        type: config.version === 'v0' ? 'onKubernetesEvent' : 'kubernetes',
        name,
        on: `${apiVersion === undefined ? '' : `${apiVersion} `}${kind} ${executeHookOnEvent.join('|') || 'snapshot'}`,
        queue,
        ...detailsOf([...selection(binding), ...shared(binding)]),
      }
    }),
    ...config.validating.map((binding) => {
      const common = { type: 'kubernetesValidating', name: binding.name, on: rules(binding) }
      return { ...common, ...detailsOf(shared(binding)) }
    }),
    ...config.mutating.map((binding) => {
      const common = { type: 'kubernetesMutating', name: binding.name, on: rules(binding) }
      return { ...common, ...detailsOf(shared(binding)) }
    }),
    ...config.conversions.map((binding) => {
      const { name, crdName, conversions } = binding
      const ways = conversions.map(({ fromVersion, toVersion }) => `${fromVersion} to ${toVersion}`)
      return {
        type: 'kubernetesCustomResourceConversion',
        name,
        on: crdName,
        ...detailsOf([...ways, ...shared(binding)]),
      }
    }),
  ]
}

function detailsOf(parts: readonly string[]): Pick<ShownBinding, 'details'> {
  return parts.length === 0 ? {} : { details: parts.join('; ') }
}

/** The selection of objects, in the API format. */
function selection({
  names,
  labelSelector,
  fieldSelector,
  namespaces,
  jqFilter,
}: KubernetesBinding): readonly string[] {
  return [
    ...namespacesOf(namespaces),
    ...(names === undefined ? [] : [`names ${names.join(',')}`]),
    ...(labelSelector === undefined ? [] : [`labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`fields ${fieldSelector}`]),
    ...(jqFilter === undefined ? [] : [`filter ${jqFilter.source.replace(/\s+/g, ' ').trim()}`]),
  ]
}

function namespacesOf(choice: NamespaceChoice): readonly string[] {
  switch (choice.of) {
    case 'all':
      return []
    case 'names':
      return [`namespaces ${choice.names.join(',') || 'none'}`]
    case 'labels':
      return [`namespaces with ${choice.selector}`]
  }
}

function shared(binding: {
  readonly group?: string
  readonly includeSnapshotsFrom: readonly string[]
  readonly allowFailure?: boolean
}): readonly string[] {
  const { group, includeSnapshotsFrom, allowFailure = false } = binding
  return [
    ...(group === undefined ? [] : [`group ${group}`]),
    ...(includeSnapshotsFrom.length === 0 ? [] : [`snapshots ${includeSnapshotsFrom.join(',')}`]),
    ...(allowFailure ? ['may fail'] : []),
  ]
}

function rules({ rules: all }: HookConfig['validating'][number]): string {
  return all.map(({ operations, resources }) => `${operations.join('|')} ${resources.join(',')}`).join('; ')
}
