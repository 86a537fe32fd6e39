/** A thousand objects change at once: every one of them must arrive in its last state, soon after the last write. */
import { type BenchContext, medianOf } from '../harness.ts'
import { type BenchCluster, ConfigMaps, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { type HookRecord, HooksFolder, monotonic } from './hooks.ts'
import { pause } from './pause.ts'

const objects = 1000
const rounds = 7

interface Told {
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

/** Whether the last that was told of each object is its last state. */
function isDelivered(records: readonly HookRecord[], last: ReadonlySet<string>): boolean {
  const told = new Map<string, string>()
  for (const { context } of records) {
    for (const { filterResult } of JSON.parse(context) as readonly Told[]) {
      if (filterResult !== undefined) told.set(filterResult.split(' ')[0] ?? '', filterResult)
    }
  }
  return told.size === last.size && [...told.values()].every((state) => last.has(state))
}
