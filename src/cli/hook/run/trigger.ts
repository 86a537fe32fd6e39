/** The trigger of a run from the command line: exactly one event and the binding it belongs to. */
import type { Hook, HookConfig, KubernetesBinding, WatchEvent } from '../../../addons/scripts/index.ts'
import { CarabinerError } from '../../../runtime/index.ts'

export interface TriggerOptions {
  readonly bindingContext?: string
  readonly event?: string
  readonly object?: string
  readonly objects?: string
  readonly binding?: string
  readonly synchronization?: boolean
  readonly startup?: boolean
  readonly schedule?: string | boolean
}

export type Trigger =
  | { readonly kind: 'context'; readonly file: string }
  | { readonly kind: 'startup' }
  | { readonly kind: 'schedule'; readonly binding: HookConfig['schedules'][number] }
  | { readonly kind: 'synchronization'; readonly binding: KubernetesBinding }
  | {
      readonly kind: 'event'
      readonly binding: KubernetesBinding
      readonly watchEvent: WatchEvent
      readonly file: string
    }

const events: Readonly<Record<string, WatchEvent>> = {
  added: 'Added',
  add: 'Added',
  modified: 'Modified',
  update: 'Modified',
  deleted: 'Deleted',
  delete: 'Deleted',
}

/** Options and their flags. */
const kinds = {
  bindingContext: 'binding-context',
  event: 'event',
  synchronization: 'synchronization',
  startup: 'startup',
  schedule: 'schedule',
} as const

export function triggerOf(hook: Hook, options: TriggerOptions): Trigger {
  const all = Object.keys(kinds) as (keyof typeof kinds)[]
  const given = all.filter((kind) => options[kind] !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1)
    throw usage(
      given.length > 1
        ? `--${given.map((kind) => kinds[kind]).join(' and --')} exclude each other`
        : 'no trigger for the hook',
      'Use one of --binding-context FILE, --event added --object FILE, --synchronization, --startup, --schedule.',
    )
  switch (kind) {
    case 'bindingContext':
      return { kind: 'context', file: options.bindingContext ?? '' }
    case 'startup':
      return startup(hook)
    case 'schedule': {
      const name = typeof options.schedule === 'string' ? options.schedule : options.binding
      return { kind: 'schedule', binding: bindingOf(hook, 'schedule', hook.config.schedules, name) }
    }
    case 'synchronization':
      if (hook.config.version === 'v0')
        throw usage(`hook ${hook.name} has no Synchronization`, 'Only hooks with configVersion: v1 have it.')
      return { kind: 'synchronization', binding: kubernetesBinding(hook, options.binding) }
    case 'event':
      return event(hook, options)
  }
}

function startup({ name, config }: Hook): Trigger {
  if (config.onStartup !== undefined) return { kind: 'startup' }
  throw usage(`hook ${name} has no binding onStartup`, 'List its bindings with `carabiner hook list FOLDER`.')
}

function event(hook: Hook, { event: word = '', object, binding }: TriggerOptions): Trigger {
  const watchEvent = events[word.toLowerCase()]
  if (watchEvent === undefined) throw usage(`--event ${word}: expected added, modified or deleted`)
  if (object === undefined) throw usage('--event requires --object FILE: the changed object')
  return { kind: 'event', watchEvent, binding: kubernetesBinding(hook, binding), file: object }
}

function kubernetesBinding(hook: Hook, name: string | undefined): KubernetesBinding {
  return bindingOf(hook, 'kubernetes', hook.config.kubernetes, name)
}

/** The binding with this name; without a name the only one. */
function bindingOf<T extends { readonly name: string }>(
  hook: Hook,
  type: string,
  bindings: readonly T[],
  name: string | undefined,
): T {
  const found = name === undefined ? bindings : bindings.filter((binding) => binding.name === name)
  const [first] = found
  if (first !== undefined && (found.length === 1 || name !== undefined)) return first
  if (bindings.length === 0)
    throw usage(`hook ${hook.name} has no ${type} binding`, 'List its bindings with `carabiner hook list FOLDER`.')
  const names = bindings.map((binding) => binding.name).join(', ')
  throw name === undefined
    ? usage(`hook ${hook.name} has several ${type} bindings: ${names}`, 'Choose one with --binding NAME.')
    : usage(`hook ${hook.name} has no ${type} binding ${name}; its bindings are ${names}`)
}

function usage(message: string, remedy?: string): CarabinerError {
  return new CarabinerError('CRB_USAGE', message, remedy === undefined ? {} : { remedy })
}
