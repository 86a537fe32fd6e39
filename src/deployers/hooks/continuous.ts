/**
 * The hook that reconciles items periodically, to revert manual changes. It forces a run when one is due, and otherwise only requeues. It
 * has no effect on an item that is being deleted.
 */
import { parse, parseDuration } from '../../cron/index.ts'
import { type Instant, isJsonObject, type Json } from '../../runtime/index.ts'
import { configurationProblem } from '../library/errors.ts'
import { annotations } from '../resources/annotations.ts'
import type { DeployItem } from '../resources/types.ts'
import type { HookSetup, ReconcileExtensionHook } from './registry.ts'

/** When an item is due next after a time; nothing when it is not reconciled continuously. */
export type NextReconcile = (after: Instant, item: DeployItem) => Instant | null | undefined

/** The field `continuousReconcile` of a provider configuration: one of the two. */
export interface ContinuousReconcileSpec {
  /** Five fields, `@hourly` and the like, or `@every 1h`; a prefix `CRON_TZ=` sets the time zone. @default zone UTC */
  readonly cron?: string
  /** A duration in the notation of Go, at least one second. */
  readonly every?: string
}

export interface ContinuousSchedule {
  next(after: Instant): Instant | undefined
}

const secondMs = 1000
const wholeSeconds = (time: Instant): Instant => Math.floor(time / secondMs) * secondMs

/** Undefined without a configuration; throws a configuration problem for invalid values. */
export function continuousSchedule({ cron = '', every = '' }: ContinuousReconcileSpec): ContinuousSchedule | undefined {
  const refuse = (field: string, problem: string, cause?: unknown) =>
    configurationProblem('ContinuousReconcile', `continuousReconcile${field}: ${problem}`, cause)
  if (cron !== '' && every !== '') throw refuse('', 'either cron or every, not both')
  if (cron !== '') {
    try {
      const schedule = parse(withSeconds(cron), { zone: 'UTC' })
      return { next: (after) => schedule.next(after) }
    } catch (error) {
      throw refuse('.cron', error instanceof Error ? error.message : String(error), error)
    }
  }
  if (every === '') return undefined
  const parsed = parseDuration(every)
  if (parsed === undefined || parsed < 0)
    throw refuse('.every', `${JSON.stringify(every)} is not a duration such as 1h30m`)
  if (parsed === 0) return undefined
  const interval = Math.max(secondMs, wholeSeconds(parsed))
  return { next: (after) => wholeSeconds(after) + interval }
}

/** The expressions of deploy items start with minutes, those of the parser with seconds. */
function withSeconds(cron: string): string {
  const [, zone = '', fields = ''] = /^\s*((?:CRON_)?TZ=\S*\s+)?(.*)$/s.exec(cron) ?? []
  if (fields.startsWith('@')) return cron
  const count = fields.trim().split(/\s+/).length
  if (count !== 5)
    throw new Error(`"${cron}" has ${count} fields; expected minute, hour, day, month and day of the week`)
  return `${zone}0 ${fields}`
}

/** The schedule in the item's own configuration, parsed at every call because items change. */
export const nextFromConfiguration: NextReconcile = (after, { spec }) => {
  const given: Json | undefined = spec.config?.['continuousReconcile']
  if (given === undefined || !isJsonObject(given)) return undefined
  const text = (field: string) => (typeof given[field] === 'string' ? given[field] : '')
  return continuousSchedule({ cron: text('cron'), every: text('every') })?.next(after)
}

export function continuousReconcileHook(next: NextReconcile): ReconcileExtensionHook<'ShouldReconcile'> {
  return ({ deployItem, now: exact }) => {
    const { metadata, status } = deployItem
    const last = Date.parse(status?.lastReconcileTime ?? '')
    const isOff = metadata.annotations?.[annotations.continuousReconcile] === 'false'
    if (isOff || metadata.deletionTimestamp !== undefined || Number.isNaN(last)) return undefined
    const now = wholeSeconds(exact)
    const due = next(wholeSeconds(last), deployItem) ?? undefined
    if (due === undefined) return undefined
    if (due > now) return { reconcileResult: { requeueAfterMs: due - now }, abortReconcile: true }
    const following = next(now, deployItem) ?? undefined
    const requeueAfterMs = following === undefined ? 0 : following - now
    return { reconcileResult: { requeueAfterMs }, abortReconcile: false }
  }
}

export function continuousReconcileSetup(next: NextReconcile = nextFromConfiguration): HookSetup<'ShouldReconcile'> {
  return { hook: continuousReconcileHook(next), hookTypes: ['ShouldReconcile'] }
}
