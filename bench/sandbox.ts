/**
 * The sandbox: start-up time compared with the real control plane, memory of its pods, speed of a rollout in real and in virtual
 * time.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSimulation } from '../src/runtime/public.ts'
import { createRealRuntime } from '../src/runtime/real/index.ts'
import { findOrBuildBinaries } from '../test/control-plane/binaries.ts'
import { type Bench, type BenchContext, medianOf } from './harness.ts'
import { rollOut } from './sandbox/deployment.ts'
import { startReal, startSandbox } from './sandbox/start.ts'

const rounds = 3
const replicas = 500
const pods = 10_000

async function readiness(context: BenchContext): Promise<void> {
  const binaries = findOrBuildBinaries()
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await startSandbox())
    if (typeof binaries !== 'string') theirs.push(await startReal(binaries))
  }
  context.report('ready: sandbox', medianOf(ours), 'ms')
  if (typeof binaries === 'string') {
    context.leaveOut(`the comparison with a real control plane, for there is none: ${binaries}`)
    return
  }
  context.report('ready: real control plane', medianOf(theirs), 'ms')
  context.report('ready: sandbox vs real control plane', medianOf(theirs) / medianOf(ours), '×', { atLeast: 10 })
}

function memory(context: BenchContext): void {
  const file = fileURLToPath(new URL('sandbox/memory.ts', import.meta.url))
  const args = ['--expose-gc', '--import', 'tsx', file, String(pods)]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  context.report(`memory of ${pods} running pods`, Number(stdout) / 1e6, 'MB', { atMost: 200 })
}

async function realRollout(context: BenchContext): Promise<void> {
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) {
    const runtime = createRealRuntime({ log: { level: 'error' } })
    await rollOut(runtime, replicas, '0s', async (roll) => {
      const begun = performance.now()
      await roll()
      seconds.push((performance.now() - begun) / 1000)
    })
  }
  context.report(`rollout of ${replicas} pods`, medianOf(seconds), 's', { atMost: 5 })
}

/** Pods that become ready after more than an hour: the rollout has two waves, so it takes more than two hours of virtual time. */
async function virtualRollout(context: BenchContext): Promise<void> {
  const [seconds, virtual]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const simulation = createSimulation(round, { maxEvents: Number.POSITIVE_INFINITY })
    const { runtime } = simulation
    await simulation.run(() =>
      rollOut(runtime, replicas, '65m', async (roll) => {
        const [begun, before] = [performance.now(), runtime.clock.monotonic()]
        await roll()
        seconds.push((performance.now() - begun) / 1000)
        virtual.push((runtime.clock.monotonic() - before) / 3_600_000)
      }),
    )
  }
  context.report(`slow rollout of ${replicas} pods: virtual time`, medianOf(virtual), 'h', { atLeast: 2 })
  context.report(`slow rollout of ${replicas} pods: real time`, medianOf(seconds), 's', { atMost: 2 })
}

export default {
  name: 'sandbox',
  async run(context: BenchContext): Promise<void> {
    await virtualRollout(context)
    await realRollout(context)
    memory(context)
    await readiness(context)
  },
} satisfies Bench
