/**
 * List and watch of 10,000 pods of 10 KB, against the informer of `@kubernetes/client-node`: the server in a child process, every
 * candidate in a fresh one, the candidates in turns.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Bench, type BenchContext, medianOf } from './harness.ts'
import type { Cost } from './kube/candidate.ts'

const rounds = 3
const events = 10_000
const candidates = ['ours', 'ours-whole', 'theirs'] as const

const serverFile = new URL('./kube/server.ts', import.meta.url)
const candidateFile = new URL('./kube/candidate.ts', import.meta.url)

function child(file: URL, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--expose-gc', '--import', 'tsx', fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function firstLine(from: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    from.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    from.once('exit', (code) =>
      reject(new Error(`${from.spawnargs.at(-3)} ended with ${code} before it said anything`)),
    )
  })
}

async function run(context: BenchContext): Promise<void> {
  const server = child(serverFile)
  try {
    const port = await firstLine(server)
    const costs = new Map<string, Cost[]>(candidates.map((candidate) => [candidate, []]))
    for (let round = 0; round < rounds; round++) {
      for (const candidate of candidates) {
        const line = await firstLine(child(candidateFile, candidate, port, String(events)))
        costs.get(candidate)?.push(JSON.parse(line) as Cost)
      }
    }
    report(context, (candidate, of) => medianOf((costs.get(candidate) ?? []).map(of)))
  } finally {
    server.kill()
  }
}

type Median = (candidate: (typeof candidates)[number], of: (cost: Cost) => number) => number

function report(context: BenchContext, median: Median): void {
  for (const candidate of candidates) {
    context.report(
      `list 10,000 pods: ${candidate}`,
      median(candidate, (cost) => cost.listSeconds),
      's',
    )
    context.report(`heap growth: ${candidate}`, median(candidate, (cost) => cost.heapBytes) / 2 ** 20, 'MiB')
    const stallGoal = candidate === 'theirs' ? {} : { atMost: 100 }
    const stall = median(candidate, (cost) => cost.longestStallMilliseconds)
    context.report(`longest stall: ${candidate}`, stall, 'ms', stallGoal)
    const stallCpu = median(candidate, (cost) => cost.longestStallCpuMilliseconds)
    context.report(`longest stall without what other processes took: ${candidate}`, stallCpu, 'ms CPU')
    context.report(
      `watch: ${candidate}`,
      median(candidate, (cost) => cost.eventsPerCpuSecond),
      'events/CPU-s',
    )
  }
  const heap = median('ours', (cost) => cost.heapBytes) / median('theirs', (cost) => cost.heapBytes)
  context.report('heap growth: ours vs theirs', heap, '×', { atMost: 0.1 })
  const speed = median('ours', (cost) => cost.eventsPerCpuSecond) / median('theirs', (cost) => cost.eventsPerCpuSecond)
  context.report('watch: ours vs theirs', speed, '×', { atLeast: 2 })
}

const bench: Bench = { name: 'kube', run }
export default bench
