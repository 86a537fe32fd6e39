/** A thousand objects change at once: the hook must receive the last state of each soon after the last write. */
import { type BenchContext, medianOf } from '../harness.ts'
import { type BenchCluster, ConfigMaps, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { type HookRecord, HooksFolder, monotonic } from './hooks.ts'
import { pause } from './pause.ts'

const objects = 1000
const rounds = 7

interface Context {
  readonly filterResult?: string
  readonly object?: { readonly metadata: { readonly name: string } }
}

export async function burst(
  context: BenchContext,
  cluster: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const maps = await ConfigMaps.create(cluster, `burst-${contender.name}`, objects)
  const jqFilter = '.metadata.name + " " + .data.version'
  const folder = new HooksFolder(program, { hook: follows(maps.namespace, { jqFilter }) })
  await Running.during(contender, cluster.kubeconfig, folder, async ({ hooks }) => {
    await hooks.until('the first Synchronization', ({ length }) => length > 0)
    const times: number[] = []
    const runs: number[] = []
    for (let round = 0; round < rounds; round++) {
      await pause(500)
      hooks.clear()
      const version = await maps.change()
      const written = monotonic()
      const last = new Set(maps.names.map((name) => `${name} ${version}`))
      await hooks.until('delivery of every object', (records) => isDelivered(records, last))
      times.push((hooks.records.at(-1)?.ended ?? Number.NaN) - written)
      runs.push(hooks.records.length)
    }
    const name = (what: string) => `${contender.name}, ${objects} objects changed at once: ${what}`
    context.report(name('last write → end of the last run'), medianOf(times), 'ms', goalFor(contender, { atMost: 60 }))
    context.report(name('runs'), medianOf(runs), '')
  })
}

/** Whether the last state that the hook received of each object is its last state in the cluster. */
function isDelivered(records: readonly HookRecord[], last: ReadonlySet<string>): boolean {
  const received = new Map<string, string>()
  for (const { context } of records) {
    for (const { filterResult } of JSON.parse(context) as readonly Context[]) {
      if (filterResult !== undefined) received.set(filterResult.split(' ')[0] ?? '', filterResult)
    }
  }
  return received.size === last.size && [...received.values()].every((state) => last.has(state))
}
