/**
 * Script hooks on a real control plane: the operator is the built program with its defaults, and the hook is a program that takes a millisecond.
 * CARABINER_BENCH_PARTS names the parts to run: latency, burst, row, oldRow, large, empty, hundred. `--peer NAME=BIN` gives
 * the same work to another operator that knows the flags of shell-operator.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOrBuildBinaries } from '../test/control-plane/binaries.ts'
import { burst } from './addons/burst.ts'
import { type BenchCluster, startCluster } from './addons/cluster.ts'
import { type Contender, contenders } from './addons/contenders.ts'
import { empty } from './addons/empty.ts'
import { compileHook } from './addons/hooks.ts'
import { hundred } from './addons/hundred.ts'
import { createMany, large } from './addons/large.ts'
import { latency } from './addons/latency.ts'
import { oldRow, row } from './addons/rows.ts'
import type { Bench, BenchContext } from './harness.ts'
import { eachPart } from './parts/wanted.ts'

type Part = (context: BenchContext, cluster: BenchCluster, contender: Contender, program: string) => Promise<void>

/** `large` comes last, so that its objects do not affect the other parts. */
const parts: Readonly<Record<string, Part>> = { empty, hundred, latency, burst, row, oldRow, large }

async function run(context: BenchContext): Promise<void> {
  const binaries = findOrBuildBinaries()
  if (typeof binaries === 'string') {
    context.leaveOut(`everything, for there is no real control plane: ${binaries}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  try {
    const hook = compileHook(folder)
    if (typeof hook === 'string') context.leaveOut(`everything: ${hook}`)
    else await runParts(context, await startCluster(binaries), hook.program)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function runParts(context: BenchContext, cluster: BenchCluster, program: string): Promise<void> {
  try {
    await eachPart(parts, async (part, name) => {
      if (part === large) await createMany(cluster)
      for (const contender of contenders(context.peers)) {
        context.say(`${name}: ${contender.name}`)
        // A failure of one operator does not end the bench: the others are still measured.
        await part(context, cluster, contender, program).catch((error: unknown) => {
          if (contender.isOurs) throw error
          context.say(`${name}: ${contender.name} failed: ${String(error)}`)
        })
      }
    })
  } finally {
    await cluster.stop()
  }
}

const bench: Bench = { name: 'addons', run }
export default bench
