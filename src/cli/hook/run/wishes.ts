/** Why a hook shall run, as the command line says it: exactly one reason, and the binding it is for. */
import type { HookConfig, KubernetesBinding, WatchEvent } from '../../../addons/scripts/config/types.ts'
import type { Hook } from '../../../addons/scripts/hook.ts'
import { CarabinerError } from '../../../runtime/errors.ts'

export interface WishOptions {
  readonly context?: string
  readonly event?: string
  readonly object?: string
  readonly objects?: string
  readonly binding?: string
  readonly synchronization?: boolean
  readonly startup?: boolean
  readonly schedule?: string | boolean
}

export type Wish =
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

const reasons = ['context', 'event', 'synchronization', 'startup', 'schedule'] as const

export function wishOf(hook: Hook, options: WishOptions): Wish {
  const given = reasons.filter((reason) => options[reason] !== undefined)
  const [reason] = given
  if (reason === undefined || given.length > 1)
    throw usage(
      given.length > 1 ? `--${given.join(' and --')} exclude each other` : 'nothing says why the hook shall run',
      'Give one of --context FILE, --event added --object FILE, --synchronization, --startup, --schedule.',
    )
  switch (reason) {
    case 'context':
      return { kind: 'context', file: options.context ?? '' }
    case 'startup':
      return startup(hook)
    case 'schedule': {
      const name = typeof options.schedule === 'string' ? options.schedule : options.binding
      return { kind: 'schedule', binding: bindingOf(hook, 'schedule', hook.config.schedules, name) }
    }
    case 'synchronization':
      if (hook.config.version === 'v0')
        throw usage(`hook ${hook.name} is never told of a first list`, 'Only hooks with configVersion: v1 are.')
      return { kind: 'synchronization', binding: kubernetesBinding(hook, options.binding) }
    case 'event':
      return event(hook, options)
  }
}

function startup({ name, config }: Hook): Wish {
  if (config.onStartup !== undefined) return { kind: 'startup' }
  throw usage(`hook ${name} has no binding onStartup`, 'See what it binds to with `carabiner hook list FOLDER`.')
}

function event(hook: Hook, { event: word = '', object, binding }: WishOptions): Wish {
  const watchEvent = events[word.toLowerCase()]
  if (watchEvent === undefined) throw usage(`--event ${word}: expected added, modified or deleted`)
  if (object === undefined) throw usage('--event needs --object FILE: the object that something happened to')
  return { kind: 'event', watchEvent, binding: kubernetesBinding(hook, binding), file: object }
}

function kubernetesBinding(hook: Hook, name: string | undefined): KubernetesBinding {
  return bindingOf(hook, 'kubernetes', hook.config.kubernetes, name)
}

/** The one of that name, or the only one there is. */
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
    throw usage(`hook ${hook.name} has no ${type} binding`, 'See what it binds to with `carabiner hook list FOLDER`.')
  const names = bindings.map((binding) => binding.name).join(', ')
  throw name === undefined
    ? usage(`hook ${hook.name} has several ${type} bindings: ${names}`, 'Choose one with --binding NAME.')
    : usage(`hook ${hook.name} has no ${type} binding ${name}; there are ${names}`)
}

function usage(message: string, remedy?: string): CarabinerError {
  return new CarabinerError('CRB_USAGE', message, remedy === undefined ? {} : { remedy })
}
