/**
 * jq: thirty filters of the kind hooks use, over a pod of 6 KB, against gojq (where Go is there) and against jq itself in
 * WebAssembly. Evaluations are measured in CPU time; every engine gets the value in its preferred form, and programs are compiled
 * once where the engine supports it.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuUsage, memoryUsage } from 'node:process'
import { fileURLToPath } from 'node:url'
import { loadJq } from 'jq-wasm'
import { compile, type Program } from '../src/jq/index.ts'
import type { Json } from '../src/runtime/json.ts'
import { type Bench, type BenchContext, medianOf } from './harness.ts'
import { filters, pod } from './jq/filters.ts'

const rounds = 5
/** CPU milliseconds for each filter in each round. */
const budget = 40

const bench: Bench = {
  name: 'jq',
  run: async (context) => {
    const input = JSON.parse(JSON.stringify(pod)) as Json
    const gojq = buildGojq(context)
    const wasm = await loadJq()
    const programs = filters.map((filter) => compile(filter))
    for (let i = 0; i < 500; i++) for (const program of programs) evaluate(program, input)

    const ours: number[][] = filters.map(() => [])
    const rivals = { gojq: filters.map((): number[] => []), 'jq-wasm': filters.map((): number[] => []) }
    const text = JSON.stringify(pod)
    for (let round = 0; round < rounds; round++) {
      for (const [i, program] of programs.entries()) {
        ours[i]?.push(perRun(() => evaluate(program, input), 200, budget))
      }
      for (const [i, nanoseconds] of gojq?.measure(text).entries() ?? []) rivals.gojq[i]?.push(nanoseconds)
      for (const [i, filter] of filters.entries()) {
        rivals['jq-wasm'][i]?.push(perRun(() => wasm.raw(text, filter, ['-c']), 1, 5))
      }
    }
    gojq?.remove()

    for (const [i, filter] of filters.entries()) {
      context.report(filter, 1e9 / medianOf(ours[i] ?? []), 'evaluations/CPU-s')
    }
    compareWith(context, 'gojq', ours, rivals.gojq, 5, 10)
    compareWith(context, 'jq-wasm', ours, rivals['jq-wasm'], 500, 500)
    reportCompileTime(context)
    reportMemory(context, programs, input)
  },
}
export default bench

function evaluate(program: Program, input: Json): void {
  for (const _ of program.run(input));
}

/** CPU nanoseconds for one run of `work`, repeated until `milliseconds` are spent. */
function perRun(work: () => void, batch: number, milliseconds: number): number {
  const before = cpuUsage()
  for (let count = batch; ; count += batch) {
    for (let i = 0; i < batch; i++) work()
    const { user, system } = cpuUsage(before)
    if (user + system > milliseconds * 1000) return ((user + system) * 1000) / count
  }
}

function compareWith(
  context: BenchContext,
  rival: string,
  ours: readonly number[][],
  theirs: readonly number[][],
  each: number,
  median: number,
): void {
  if (theirs.every((samples) => samples.length === 0)) return
  const ratios = ours.map((samples, i) => medianOf(theirs[i] ?? []) / medianOf(samples))
  const slowest = ratios.indexOf(Math.min(...ratios))
  context.report(`least against ${rival} (${filters[slowest]})`, ratios[slowest] ?? 0, '×', { atLeast: each })
  context.report(`median against ${rival}`, medianOf(ratios), '×', { atLeast: median })
}

function reportCompileTime(context: BenchContext): void {
  const times = filters.map((filter) => perRun(() => void compile(filter), 20, 10) / 1e6)
  context.report('compile, slowest filter', Math.max(...times), 'ms', { atMost: 1 })
  context.report('compile, median filter', medianOf(times), 'ms', { atMost: 1 })
}

/** Heap allocated per evaluation, outputs included, before a garbage collection. */
function reportMemory(context: BenchContext, programs: readonly Program[], input: Json): void {
  if (globalThis.gc === undefined) {
    context.leaveOut('memory per evaluation, which needs node --expose-gc')
    return
  }
  const samples = programs.map((program) => {
    const count = 200
    globalThis.gc?.()
    const before = memoryUsage().heapUsed
    for (let i = 0; i < count; i++) evaluate(program, input)
    return (memoryUsage().heapUsed - before) / count
  })
  context.report('memory per evaluation, median filter', medianOf(samples), 'bytes')
  context.report('memory per evaluation, hungriest filter', Math.max(...samples), 'bytes')
}

interface Gojq {
  measure(text: string): number[]
  remove(): void
}

function buildGojq(context: BenchContext): Gojq | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-gojq-'))
  const binary = join(folder, 'gojq-bench')
  const source = fileURLToPath(new URL('gojq', import.meta.url))
  const built = spawnSync('go', ['build', '-o', binary, '.'], { cwd: source, encoding: 'utf8' })
  if (built.status !== 0) {
    const reason = built.error ? 'go is not installed' : built.stderr.trim().split('\n').at(-1)
    context.leaveOut(`gojq, which cannot be built (${reason})`)
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    measure: (text) => {
      const input = `{"filters":${JSON.stringify(filters)},"budget":${budget},"input":${text}}`
      return JSON.parse(spawnSync(binary, { input, encoding: 'utf8' }).stdout) as number[]
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
