/** Metrics of deployers: the calls of their functions, and the items by phase. */
import type { Cache } from '../../kube/index.ts'
import type { Metrics } from '../../runtime/index.ts'
import type { DeployItem } from '../resources/types.ts'

/** How a call of a deployer's function ended. `cancelled`: by an abort of the item or at shutdown. */
export type CallResult = 'done' | 'unfinished' | 'failed' | 'cancelled'

const secondsBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600]

export function callMetrics(metrics: Metrics) {
  const calls = metrics.counter({
    name: 'carabiner_deployer_calls_total',
    help: 'Calls of the functions of deployers, by result.',
    labels: ['deployer', 'function', 'result'],
  })
  const seconds = metrics.histogram({
    name: 'carabiner_deployer_call_duration_seconds',
    help: 'Duration of the calls of the functions of deployers.',
    labels: ['deployer', 'function'],
    buckets: secondsBuckets,
  })
  return (call: { readonly deployer: string; readonly function: string }, result: CallResult, durationMs: number) => {
    calls.add(1, { ...call, result })
    seconds.observe(durationMs / 1000, call)
  }
}

/** Counts the items of a type by phase until the returned function is called. Deployers of one type count the same items. */
export function countItems(items: Cache<DeployItem>, metrics: Metrics, type: string): () => void {
  const gauge = metrics.gauge({
    name: 'carabiner_deploy_items',
    help: 'Deploy items by type and phase.',
    labels: ['type', 'phase'],
  })
  const counts = new Map<string, number>()
  const add = (item: DeployItem, change: 1 | -1) => {
    if (item.spec.type !== type) return
    const phase = item.status?.phase ?? 'none'
    const count = (counts.get(phase) ?? 0) + change
    counts.set(phase, count)
    gauge.set(count, { type, phase })
  }
  for (const item of items.values()) add(item, 1)
  const unsubscribe = items.subscribe((change) => {
    if (change.type !== 'added') add(change.previous, -1)
    if (change.type !== 'deleted') add(change.value, 1)
  })
  return () => {
    unsubscribe()
    for (const phase of counts.keys()) gauge.remove({ type, phase })
  }
}
