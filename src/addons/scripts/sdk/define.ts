/**
 * Hooks as functions. `defineHook` gives the operator what it calls in the hook's thread; it is loaded there, so that it must not need anything of
 * the operator.
 */
import { collectChanges, collectMetrics, type HookMetricsCollector, type ObjectChanges } from './collectors.ts'
import type { HookConfiguration } from './config.ts'
import type { AdmissionAnswer, BindingContext, ConversionAnswer } from './contexts.ts'

export interface HookRun {
  /** Why the hook runs; several when events came faster than runs. */
  readonly contexts: readonly BindingContext[]
  readonly metrics: HookMetricsCollector
  readonly objects: ObjectChanges
  /** Aborts when the time of the run is over or the operator stops; the thread is ended soon after. */
  readonly signal: AbortSignal
}

export interface HookDefinition {
  readonly config: HookConfiguration
  /** Throws to fail; returns an answer where the API server asked for one. */
  readonly run: (run: HookRun) => HookAnswer | Promise<HookAnswer>
}

export type HookAnswer = AdmissionAnswer | ConversionAnswer | undefined

/** What crosses the border of the thread. */
export interface RunAnswer {
  readonly metrics: readonly object[]
  readonly changes: readonly object[]
  readonly answer?: unknown
  /** Why it failed; what it asked for until then is there nevertheless. */
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

/** With the lines of the hook itself; who called it is no help. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const lines = (error.stack ?? error.message).split('\n')
  const ours = lines.findIndex((line) => line.includes(new URL(import.meta.url).pathname))
  return (ours < 0 ? lines : lines.slice(0, ours)).join('\n')
}
