/** One starter at work: takes an order, tells its number and its end, and is free for the next. */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { getSystemErrorName } from 'node:util'
import type { ProcessExit, ProcessSpec } from '../processes.ts'
import type { Child } from './child.ts'
import { signalGroup } from './group.ts'
import { orderOf, starterProgram } from './starter-program.ts'
import { hearLines } from './told-lines.ts'

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

export class StarterProcess {
  /** Resolves when it has ended: whether it ever was of use. */
  readonly over: Promise<boolean>
  readonly #stdin: Socket
  readonly #stdout: Socket
  /** The number of the child that waits, once it is known. */
  #waiting: number | undefined
  #order: Order | undefined
  #isThere = false
  #wasOfUse = false

  /** Throws when not even the attempt can be made. */
  constructor(interpreter: string) {
    const process = spawn(interpreter, ['-e', starterProgram], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#stdin = process.stdin as Socket
    this.#stdout = process.stdout as Socket
    hearLines(this.#stdout, (line) => this.#hear(line[0] ?? '', Number(line.slice(1))))
    // Whoever writes to it at its end learns that from its end.
    this.#stdin.on('error', () => undefined)
    this.over = new Promise<void>((resolve) => {
      process.once('error', () => resolve())
      process.once('close', () => resolve())
    }).then(() => {
      this.end()
      this.#order?.abandon()
      return this.#wasOfUse
    })
    // Only an order keeps us from ending.
    process.unref()
    this.#stdin.unref()
    this.#stdout.unref()
  }

  /** It is there, and nobody has it run anything. */
  get isFree(): boolean {
    return this.#isThere && this.#order === undefined
  }

  /** Only when it is free. */
  run(spec: ProcessSpec, outputs: readonly [stdout: string, stderr: string]): Child {
    const order = new Order(this.#waiting)
    this.#waiting = undefined
    this.#order = order
    this.#stdout.ref()
    this.#stdin.write(orderOf(spec, outputs))
    return order
  }

  /** Once it is free, it ends. */
  end(): void {
    this.#isThere = false
    this.#stdin.end()
  }

  #hear(what: string, number: number): void {
    const order = this.#order
    if (what === 'p') {
      this.#isThere = !this.#stdin.writableEnded
      this.#wasOfUse = true
      if (order !== undefined && order.pid === undefined) order.begin(number)
      else this.#waiting = number
    } else if (what === 'f') {
      order?.fail(number)
    } else if (what === 's') {
      this.#order = undefined
      this.#stdout.unref()
      order?.end(number)
      // It may not have heard all of the order, and nobody else is to carry it out.
      if (order?.wasSignalled) this.end()
    }
  }
}

class Order implements Child {
  readonly stdout = null
  readonly stderr = null
  readonly ended: Promise<ProcessExit>
  #pid: number | undefined
  readonly #signals: NodeJS.Signals[] = []
  #wasSignalled = false
  #failure: Error | undefined
  #resolve: (exit: ProcessExit) => void = () => undefined
  #reject: (error: Error) => void = () => undefined

  constructor(pid: number | undefined) {
    this.#pid = pid
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  get pid(): number | undefined {
    return this.#pid
  }

  get wasSignalled(): boolean {
    return this.#wasSignalled
  }

  signal(name: NodeJS.Signals): void {
    this.#wasSignalled = true
    if (this.#pid === undefined) this.#signals.push(name)
    else signalGroup(this.#pid, name)
  }

  begin(pid: number): void {
    this.#pid = pid
    for (const name of this.#signals.splice(0)) this.signal(name)
  }

  fail(error: number): void {
    const code = getSystemErrorName(-error)
    this.#failure = Object.assign(new Error(`spawn ${code}`), { code })
  }

  /** By the status that the system gave. */
  end(status: number): void {
    if (this.#failure !== undefined) this.#reject(this.#failure)
    else if ((status & 0x7f) === 0) this.#resolve({ code: status >> 8, signal: undefined })
    else this.#resolve({ code: undefined, signal: signals.get(status & 0x7f) ?? `signal ${status & 0x7f}` })
  }

  /** Nobody will tell how it ends. */
  abandon(): void {
    if (this.#pid === undefined) this.#reject(new Error('whoever was to start it has died'))
    this.signal('SIGKILL')
    this.#resolve({ code: undefined, signal: 'SIGKILL' })
  }
}
