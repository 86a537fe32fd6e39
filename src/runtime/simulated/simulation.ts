/**
 * A deterministic environment from one seed: virtual time, random numbers, scripted processes, files in memory, a network without sockets.
 * The same seed gives the same events in the same order; `trace` lists them.
 */
import type { Clock, Instant } from '../clock.ts'
import type { HttpHandler } from '../http.ts'
import { checkedMs, checkMs } from '../milliseconds.ts'
import type { Random } from '../random.ts'
import type { Runtime } from '../runtime.ts'
import type { BudgetLimits } from './budget.ts'
import { Cell } from './cell.ts'
import { createVirtualClock } from './clock.ts'
import { type Domain, SimulatedDomain } from './domain.ts'
import { createMemoryFiles, type DiskListener, FileTree } from './files.ts'
import { createMemoryLog, type LogRecord } from './log.ts'
import { createMemoryMetrics } from './metrics.ts'
import { Network } from './network.ts'
import { createScriptedProcesses, type ProcessScript, type ProcessTable } from './processes.ts'
import { Scheduler } from './scheduler.ts'
import { createSeededRandom } from './seed.ts'
import { type Trace, TraceRecorder } from './trace.ts'
import { createMemoryTraces, type SpanRecord } from './traces.ts'
import { createPlayedWorkers, type PlayedModule } from './workers.ts'

export interface SimulationOptions {
  /** Wall-clock time at the start. @default 2026-01-01T00:00:00Z */
  readonly start?: Instant
  readonly env?: Readonly<Record<string, string>>
  /** Virtual milliseconds after which one `run` counts as stuck. @default 30 days */
  readonly limit?: number
  /** Events after which one `run` counts as stuck: in a sandbox they take less than a second. @default 10,000 */
  readonly maxEvents?: number
  /** Called before each operation that changes files; a test may throw for a full disk, or call `crash`. */
  readonly onDisk?: DiskListener
}

export interface Simulation {
  readonly seed: number
  /** The runtime of the domain `main`, where `run` begins. */
  readonly runtime: Runtime
  readonly clock: Clock
  readonly trace: Trace
  /** The log lines of all domains. */
  readonly logs: readonly LogRecord[]
  /** Spans of runs that have ended, in all domains. */
  readonly spans: readonly SpanRecord[]
  /** Number of events that have fired. */
  readonly turns: number
  /** The process with this name; a new one if there is none or the last one was halted. */
  domain(name: string): Domain
  /** Halts the process with this name, if it runs. */
  halt(name: string): void
  /** Halts all processes, as a power failure does: files that grow at their end lose what was not synced. */
  crash(): void
  /** Lets a function play a program; it is found by the path of the command or its base name. */
  script(command: string, script: ProcessScript): void
  /** Lets an object play the default export of the module at this path. */
  module(path: string, played: PlayedModule): void
  /** Runs `main` and advances time until it settles. Everything else is paused until the next `run`. */
  run<T>(main: () => Promise<T>): Promise<T>
  /** For asynchronous work outside the simulation during a `run`: no event fires and no time passes until it has settled. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Advances time outside of a `run`. */
  advance(milliseconds: number): Promise<void>
}

const defaultLimitMs = 30 * 24 * 3_600_000
const defaultMaxEvents = 10_000
/** Lines of the log in the message of a run that does not settle. */
const shownProblems = 3

export function createSimulation(seed: number, options: SimulationOptions = {}): Simulation {
  return new World(seed, options)
}

class World implements Simulation {
  readonly seed: number
  readonly trace = new TraceRecorder()
  readonly logs: LogRecord[] = []
  readonly spans: SpanRecord[] = []
  readonly #scheduler: Scheduler
  readonly #options: SimulationOptions
  readonly #network = new Network()
  readonly #files = new FileTree()
  readonly #scripts = new Map<string, ProcessScript>()
  readonly #modules = new Map<string, PlayedModule>()
  readonly #domains = new Map<string, Domain>()
  readonly #births = new Map<string, number>()
  readonly #cells = new Set<Cell>()
  readonly #outside: Cell
  readonly #crashRandom: Random
  #lastPid = 1000

  constructor(seed: number, options: SimulationOptions) {
    this.seed = seed
    this.#options = options
    this.#crashRandom = createSeededRandom(seed, 'crashes of the disk')
    checkMs(options, ['start', 'limit'])
    this.#scheduler = new Scheduler(createSeededRandom(seed, 'order of events'), this.trace)
    this.#outside = this.#createCell('outside')
  }

  get runtime(): Runtime {
    return this.domain('main').runtime
  }

  get clock(): Clock {
    return this.runtime.clock
  }

  get turns(): number {
    return this.#scheduler.turns
  }

  domain(name: string): Domain {
    const known = this.#domains.get(name)
    if (known !== undefined && !known.halted) return known
    const cell = this.#createCell(name)
    const domain = new SimulatedDomain(cell, this.#outside, this, (prepare) => this.#createRuntime(cell, prepare))
    this.#domains.set(name, domain)
    return domain
  }

  halt(name: string): void {
    this.#domains.get(name)?.halt()
  }

  crash(): void {
    for (const domain of this.#domains.values()) domain.halt()
    this.#files.crash(this.#crashRandom)
  }

  script(command: string, script: ProcessScript): void {
    this.#scripts.set(command, script)
  }

  module(path: string, played: PlayedModule): void {
    this.#modules.set(path, played)
  }

  run<T>(main: () => Promise<T>): Promise<T> {
    const { limit = defaultLimitMs, maxEvents = defaultMaxEvents } = this.#options
    return this.#run(main, { limit, maxEvents })
  }

  hold<T>(work: Promise<T>): Promise<T> {
    return this.#scheduler.hold(work)
  }

  advance(milliseconds: number): Promise<void> {
    const { clock } = this
    checkedMs('milliseconds', milliseconds)
    // It ends by itself, however much happens meanwhile.
    return this.#run(() => clock.sleep(milliseconds), { limit: milliseconds, maxEvents: Number.POSITIVE_INFINITY })
  }

  #run<T>(main: () => Promise<T>, limits: BudgetLimits): Promise<T> {
    const waits = () => [...this.#cells].flatMap((cell) => cell.waits)
    return this.#scheduler.run(main, limits, { waits, problems: () => this.#recentProblems() })
  }

  #recentProblems(): readonly string[] {
    const problems = this.logs.filter(({ level }) => level === 'warn' || level === 'error').slice(-shownProblems)
    return problems.map(({ domain, message, fields }) => `${domain}: ${message} ${JSON.stringify(fields)}`)
  }

  /** A name that is used again is another process with another random stream. */
  #createCell(name: string): Cell {
    const life = (this.#births.get(name) ?? 0) + 1
    this.#births.set(name, life)
    const start = this.#options.start ?? Date.UTC(2026, 0, 1)
    const cell = new Cell(life === 1 ? name : `${name}#${life}`, this.#scheduler, start)
    this.#cells.add(cell)
    cell.onHalt(() => this.#cells.delete(cell))
    return cell
  }

  #createRuntime(cell: Cell, prepare: (handler: HttpHandler) => HttpHandler): Runtime {
    const random = createSeededRandom(this.seed, cell.name)
    const table: ProcessTable = {
      scripts: this.#scripts,
      nextPid: () => ++this.#lastPid,
      createCell: (name) => {
        const child = this.#createCell(name)
        return { cell: child, runtime: this.#createRuntime(child, prepare) }
      },
    }
    return {
      clock: createVirtualClock(cell),
      random,
      processes: createScriptedProcesses(cell, table),
      workers: createPlayedWorkers(cell, { modules: this.#modules, createCell: table.createCell }),
      files: createMemoryFiles(cell, {
        tree: this.#files,
        random,
        onDisk: (operation) => this.#options.onDisk?.(operation),
      }),
      http: this.#network.attach(cell, prepare),
      log: createMemoryLog(cell, this.logs),
      // All lines are kept for tests; the level has no effect.
      logVolume: { level: 'info' },
      metrics: createMemoryMetrics(),
      traces: createMemoryTraces(cell, random, this.spans),
      env: this.#options.env ?? {},
    }
  }
}
