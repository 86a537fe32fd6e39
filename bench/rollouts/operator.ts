/** The operator: the built program with its defaults, in its own process, measured from outside. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/control-plane/programs.ts'
import { cpuOf, memoryOf } from '../processes/usage.ts'
import { firstLine } from './lines.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

export class Operator {
  readonly #child: ChildProcess
  readonly #port: number
  /** When the process was started, by `performance.now()`. */
  readonly startedAt: number

  private constructor(child: ChildProcess, port: number, startedAt: number) {
    this.#child = child
    this.#port = port
    this.startedAt = startedAt
  }

  /** `args` are further arguments of `carabiner run`. */
  static async start(kubeconfig: string, args: readonly string[] = ['--install']): Promise<Operator> {
    const port = await freePort()
    const startedAt = performance.now()
    const all = [program, 'run', '--kubeconfig', kubeconfig, '--listen-port', String(port), ...args]
    const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] })
    await firstLine(child, 'the operator')
    return new Operator(child, port, startedAt)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  memory(): ReturnType<typeof memoryOf> {
    return memoryOf(this.pid)
  }

  /** Seconds of CPU used so far. */
  cpu(): number {
    return cpuOf(this.pid)
  }

  /** The sum of a metric over its labels. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.#port}/metrics`)).text()
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}
