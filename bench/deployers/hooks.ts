/** How many times per second a hook point with three hooks can be executed. */
import { executeHooks, type HookArguments, ReconcileExtensionHooks } from '../../src/deployers/index.ts'
import type { DeployItem } from '../../src/deployers/resources/types.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { type BenchContext, medianOf } from '../harness.ts'

const executions = 1_000_000
const rounds = 7

export function hooks(context: BenchContext): void {
  const registry = new ReconcileExtensionHooks()
    .registerHook(() => ({ reconcileResult: { requeueAfterMs: 30_000 }, abortReconcile: true }), 'ShouldReconcile')
    .registerHook(() => undefined, 'ShouldReconcile')
    .registerHook(({ now }) => ({ reconcileResult: { requeueAfterMs: now } }), 'ShouldReconcile')
    .freeze()
  const deployItem = { spec: { type: 'bench' }, metadata: { name: 'bench' } } as DeployItem
  const given: HookArguments<'ShouldReconcile'> = {
    type: 'ShouldReconcile',
    deployItem,
    target: undefined,
    log: createRealRuntime({ log: { level: 'error' } }).log,
    signal: new AbortController().signal,
    now: 60_000,
  }
  const perSecond: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    for (let count = 0; count < executions; count++) void executeHooks(registry, given)
    perSecond.push(executions / ((performance.now() - begun) / 1000))
  }
  context.report('a point with 3 hooks', medianOf(perSecond), 'executions/s', { atLeast: 1_000_000 })
}
