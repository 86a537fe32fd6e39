/** Which bindings of an edited hook are those it had before: they are the same objects in both configurations. */
import type { HookConfig } from '../config/types.ts'

type WebhookBindings = Pick<HookConfig, 'validating' | 'mutating' | 'conversions'>

/** The new configuration, with the objects of the previous one for bindings that are equal. */
export function withKeptBindings(previous: HookConfig, next: HookConfig): HookConfig {
  if (previous.version !== next.version || previous.disabled || next.disabled) return next
  return {
    ...next,
    schedules: kept(previous.schedules, next.schedules),
    kubernetes: kept(previous.kubernetes, next.kubernetes),
  }
}

/** Whether admission or conversion bindings differ: they are registered at the start only. */
export function haveSameWebhooks(previous: WebhookBindings, next: WebhookBindings): boolean {
  const webhooksOf = ({ validating, mutating, conversions }: WebhookBindings) =>
    text([validating, mutating, conversions])
  return webhooksOf(previous) === webhooksOf(next)
}

/** Each binding is kept once, so that two equal bindings stay two. */
function kept<B extends object>(previous: readonly B[], next: readonly B[]): readonly B[] {
  const left = [...previous]
  return next.map((binding) => {
    const at = left.findIndex((one) => text(one) === text(binding))
    return at < 0 ? binding : (left.splice(at, 1)[0] ?? binding)
  })
}

/** A program is compared by its source. */
function text(value: object): string {
  return JSON.stringify(value, (key, member) => (key === 'jqFilter' ? member?.source : member))
}
