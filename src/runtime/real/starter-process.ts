/** The running starter process: it handles one start request at a time and reports the process id and the exit status. */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { getSystemErrorName } from 'node:util'
import type { ProcessExit, ProcessSpec } from '../processes.ts'
import type { Child } from './child.ts'
import { signalGroup } from './group.ts'
import { onLines } from './output-lines.ts'
import { encodeRequest, starterProgram } from './starter-program.ts'

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

export class StarterProcess {
  /** Resolves when the starter has ended, with whether it ever worked. */
  readonly ended: Promise<boolean>
  readonly #stdin: Socket
  readonly #stdout: Socket
  /** The process id of the forked child that waits for a request, once it is known. */
  #waitingPid: number | undefined
  #request: StartRequest | undefined
  #isReady = false
  #hasWorked = false

  /** Throws when Node.js cannot spawn the process at all. */
  constructor(interpreter: string) {
    const process = spawn(interpreter, ['-e', starterProgram], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#stdin = process.stdin as Socket
    this.#stdout = process.stdout as Socket
    onLines(this.#stdout, (line) => this.#onMessage(line[0] ?? '', Number(line.slice(1))))
    // A write after the end fails; `ended` reports the end.
    this.#stdin.on('error', () => undefined)
    this.ended = new Promise<void>((resolve) => {
      process.once('error', () => resolve())
      process.once('close', () => resolve())
    }).then(() => {
      this.end()
      this.#request?.abandon()
      return this.#hasWorked
    })
    // Only a running request keeps this process running.
    process.unref()
    this.#stdin.unref()
    this.#stdout.unref()
  }

  /** Whether it is ready and has no request. */
  get isFree(): boolean {
    return this.#isReady && this.#request === undefined
  }

  /** Must be called only when `isFree`. */
  run(spec: ProcessSpec, outputs: readonly [stdout: string, stderr: string]): Child {
    const request = new StartRequest(this.#waitingPid)
    this.#waitingPid = undefined
    this.#request = request
    this.#stdout.ref()
    this.#stdin.write(encodeRequest(spec, outputs))
    return request
  }

  /** Ends the starter after the current request. */
  end(): void {
    this.#isReady = false
    this.#stdin.end()
  }

  #onMessage(kind: string, number: number): void {
    const request = this.#request
    if (kind === 'p') {
      this.#isReady = !this.#stdin.writableEnded
      this.#hasWorked = true
      if (request !== undefined && request.pid === undefined) request.begin(number)
      else this.#waitingPid = number
    } else if (kind === 'f') {
      request?.fail(number)
    } else if (kind === 's') {
      this.#request = undefined
      this.#stdout.unref()
      request?.end(number)
      // The killed child may not have read the whole request; the next child must not read the rest, so the starter ends.
      if (request?.wasSignalled) this.end()
    }
  }
}

class StartRequest implements Child {
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

  /** Settles with the wait status of the system. */
  end(status: number): void {
    if (this.#failure !== undefined) this.#reject(this.#failure)
    else if ((status & 0x7f) === 0) this.#resolve({ code: status >> 8, signal: undefined })
    else this.#resolve({ code: undefined, signal: signals.get(status & 0x7f) ?? `signal ${status & 0x7f}` })
  }

  /** The starter has died, so the exit status stays unknown. */
  abandon(): void {
    if (this.#pid === undefined) this.#reject(new Error('the process that starts programs has died'))
    this.signal('SIGKILL')
    this.#resolve({ code: undefined, signal: 'SIGKILL' })
  }
}
