/**
 * Hooks and their bindings as people and programs read them.
 */
import type { HookConfig } from '../config/types.ts'
import type { Hook } from '../hook.ts'

export interface ShownHook {
  readonly name: string
  readonly bindings: readonly ShownBinding[]
}

export interface ShownBinding {
  /** The word of the configuration: `onStartup`, `schedule`, `kubernetes`, … */
  readonly type: string
  readonly name: string
  /** What it waits for: an order, a crontab, a kind, rules. */
  readonly on: string
  /** Where its runs wait; bindings that answer somebody do not wait. */
  readonly queue?: string
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
    ...config.schedules.map(({ name, crontab, queue }) => ({ type: 'schedule', name, on: crontab, queue })),
    ...config.kubernetes.map(({ name, kind, apiVersion, executeHookOnEvent, queue }) => ({
      type: config.version === 'v0' ? 'onKubernetesEvent' : 'kubernetes',
      name,
      on: `${apiVersion === undefined ? '' : `${apiVersion} `}${kind} ${executeHookOnEvent.join('|') || 'snapshot'}`,
      queue,
    })),
    ...config.validating.map((binding) => ({ type: 'kubernetesValidating', name: binding.name, on: rules(binding) })),
    ...config.mutating.map((binding) => ({ type: 'kubernetesMutating', name: binding.name, on: rules(binding) })),
    ...config.conversions.map(({ name, crdName }) => ({
      type: 'kubernetesCustomResourceConversion',
      name,
      on: crdName,
    })),
  ]
}

function rules({ rules: all }: HookConfig['validating'][number]): string {
  return all.map(({ operations, resources }) => `${operations.join('|')} ${resources.join(',')}`).join('; ')
}
