/**
 * A thousand runs in a row that cannot be combined: the time an operator adds to starting the process. A gate holds its queue until all runs
 * wait in it; a bare loop that starts the same program takes turns with it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type BenchContext, medianOf } from '../harness.ts'
import { type BenchCluster, ConfigMaps, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { type HookRecord, HooksFolder } from './hooks.ts'
import { pause } from './pause.ts'

const runs = 1000
const turns = 100
const rounds = 7
/** The interval between two changes is long enough that an operator receives them one by one. */
const changeIntervalMs = 100
const maxRatio = 1.4

/** Many hooks take turns, so that two tasks of one hook never follow each other. */
export function row(
  context: BenchContext,
  cluster: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const hooks = (namespace: string) =>
    Object.fromEntries(Array.from({ length: turns }, (_, index) => [`hook-${index}`, follows(namespace)]))
  return measure(context, cluster, contender, program, { name: 'v1', objects: runs / turns, began: turns, hooks })
}

/** Runs of hooks with configuration version v0 are never combined. */
export function oldRow(
  context: BenchContext,
  cluster: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const hooks = (namespace: string) => ({
    hook: {
      onStartup: 1,
      onKubernetesEvent: [
        { kind: 'configmap', event: ['update'], namespaceSelector: { matchNames: [namespace] }, jqFilter: '.data' },
      ],
    },
  })
  return measure(context, cluster, contender, program, { name: 'v0', objects: runs, began: 1, hooks })
}

interface Row {
  readonly name: string
  readonly objects: number
  /** Runs at the start. */
  readonly began: number
  hooks(namespace: string): Readonly<Record<string, unknown>>
}

async function measure(
  context: BenchContext,
  cluster: BenchCluster,
  contender: Contender,
  program: string,
  { name, objects, began, hooks: configs }: Row,
): Promise<void> {
  const maps = await ConfigMaps.create(cluster, `row-${name}-${contender.name}`, objects)
  const folder = new HooksFolder(program, configs(maps.namespace))
  await Running.during(contender, cluster.kubeconfig, folder, async ({ hooks }) => {
    await hooks.until('the start', ({ length }) => length >= began)
    const [times, bare]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      bare.push(await bareLoop(program))
      await pause(1000)
      hooks.clear()
      hooks.closeGate()
      await (objects < runs ? maps.changeInTurn(changeIntervalMs) : maps.change())
      await pause(1000)
      hooks.openGate()
      await hooks.until(`${runs} runs`, ({ length }) => length >= runs, 120)
      times.push(perRun(hooks.records))
    }
    const named = (what: string) => `${contender.name}, ${runs} runs in a row (${name}): ${what}`
    context.report(named('each'), medianOf(times), 'ms')
    context.report(named('each in a bare loop'), medianOf(bare), 'ms')
    const ratio = medianOf(times) / medianOf(bare)
    context.report(named('beside the bare loop'), ratio, '×', goalFor(contender, { atMost: maxRatio }))
  })
}

/** From the end of the first run, which the gate holds, to the end of the last. */
function perRun(records: readonly HookRecord[]): number {
  const [first, last] = [records[0], records.at(-1)]
  return ((last?.ended ?? Number.NaN) - (first?.ended ?? Number.NaN)) / (records.length - 1)
}

async function bareLoop(program: string): Promise<number> {
  const folder = new HooksFolder(program, { hook: {} })
  const loop = fileURLToPath(new URL('bare-loop.ts', import.meta.url))
  const args = ['--import', 'tsx', loop, `${folder.path}/hook`, String(runs)]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...folder.env }, stdio: 'inherit' })
  await once(child, 'exit')
  await folder.until('the bare loop', ({ length }) => length >= runs)
  folder.remove()
  return perRun(folder.records)
}
