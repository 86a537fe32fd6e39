/** Hooks as functions. `defineHook` is loaded in the worker thread of the hook, so it must not import anything of the operator. */
import { collectChanges, collectMetrics, type HookMetricsCollector, type ObjectChanges } from './collectors.ts'
import type { HookConfiguration } from './config.ts'
import type { AdmissionAnswer, BindingContext, ConversionAnswer } from './contexts.ts'

export interface HookRun {
  /** Why the hook runs; several contexts when events came faster than runs. */
  readonly contexts: readonly BindingContext[]
  readonly metrics: HookMetricsCollector
  readonly objects: ObjectChanges
  /** Aborts at the timeout of the run or when the operator stops; the thread is terminated soon after. */
  readonly signal: AbortSignal
}

export interface HookDefinition {
  readonly config: HookConfiguration
  /** Throws to fail; returns an answer to an admission or conversion request. */
  readonly run: (run: HookRun) => HookAnswer | Promise<HookAnswer>
}

export type HookAnswer = AdmissionAnswer | ConversionAnswer | undefined

/** The result passed from the worker thread. */
export interface RunAnswer {
  readonly metrics: readonly object[]
  readonly changes: readonly object[]
  readonly answer?: unknown
  /** Why it failed; metrics and changes up to the failure are included. */
  readonly failed?: string
}

export interface DefinedHook {
  readonly config: HookConfiguration & { readonly configVersion: 'v1' }
  readonly run: (contexts: string, signal: AbortSignal) => Promise<RunAnswer>
}

/**
 * The default export of a hook's file.
 *
 * @example export default defineHook({ config: { onStartup: 1 }, run({ metrics }) { metrics.set('up', 1) } })
 */
export function defineHook({ config, run }: HookDefinition): DefinedHook {
  return {
    config: { ...config, configVersion: 'v1' },
    async run(contexts, signal) {
      const metrics: object[] = []
      const changes: object[] = []
      try {
        const answer = await run({
          contexts: JSON.parse(contexts) as readonly BindingContext[],
          metrics: collectMetrics(metrics),
          objects: collectChanges(changes),
          signal,
        })
        return { metrics, changes, ...(answer === undefined ? {} : { answer }) }
      } catch (error) {
        return { metrics, changes, failed: reasonOf(error) }
      }
    },
  }
}

/** The error with the stack lines of the hook, without those of its callers. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const lines = (error.stack ?? error.message).split('\n')
  const ours = lines.findIndex((line) => line.includes(new URL(import.meta.url).pathname))
  return (ours < 0 ? lines : lines.slice(0, ours)).join('\n')
}
