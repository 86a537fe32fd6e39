/** Operators that run a folder of hooks: ours, and those given by path, which must know the flags of shell-operator. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/control-plane/programs.ts'
import type { Goal, Peer } from '../harness.ts'
import { cpuOf, memoryOf } from '../processes/usage.ts'
import { type HooksFolder, monotonic } from './hooks.ts'

interface Places {
  readonly hooksDir: string
  readonly kubeconfig: string
  readonly port: number
  /** A folder of its own. */
  readonly folder: string
}

export interface Contender {
  readonly name: string
  readonly isOurs: boolean
  command(places: Places): readonly [string, ...string[]]
}

const ownProgram = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

const ours: Contender = {
  name: 'carabiner',
  isOurs: true,
  command: ({ hooksDir, kubeconfig, port, folder }) => [
    process.execPath,
    ...[ownProgram, 'run', '--hooks-dir', hooksDir, '--kubeconfig', kubeconfig, '--listen-port', String(port)],
    ...['--debug-unix-socket', join(folder, 'debug.socket')],
  ],
}

export function contenders(peers: readonly Peer[]): readonly Contender[] {
  return [ours, ...peers.map(contenderOf)]
}

function contenderOf({ name, program }: Peer): Contender {
  return {
    name,
    isOurs: false,
    command: ({ hooksDir, kubeconfig, port, folder }) => [
      program,
      ...['start', '--hooks-dir', hooksDir, '--kube-config', kubeconfig, '--listen-port', String(port)],
      ...['--tmp-dir', join(folder, 'tmp'), '--debug-unix-socket', join(folder, 'debug.socket')],
    ],
  }
}

/** Only our operator has goals; for others the figures are printed. */
export function goalFor({ isOurs }: Contender, goal: Goal): Goal {
  return isOurs ? goal : {}
}

/** A running operator. */
export class Running {
  readonly #child: ChildProcess
  readonly #folder: string
  readonly hooks: HooksFolder
  /** In the time of `monotonic()`. */
  readonly startedAt: number

  private constructor(child: ChildProcess, folder: string, hooks: HooksFolder, startedAt: number) {
    this.#child = child
    this.#folder = folder
    this.hooks = hooks
    this.startedAt = startedAt
  }

  /** Ends the operator and removes the hooks after `use`. */
  static async during<T>(
    contender: Contender,
    kubeconfig: string,
    hooks: HooksFolder,
    use: (running: Running) => Promise<T>,
  ): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-operator-'))
    const [program, ...args] = contender.command({ hooksDir: hooks.path, kubeconfig, port: await freePort(), folder })
    // Extra CA certificates of this machine are left out: no cluster has them, and Node reads them at every start.
    const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
    const env = { ...inherited, ...hooks.env }
    const startedAt = monotonic()
    const log = join(folder, 'log')
    const descriptor = openSync(log, 'a')
    const child = spawn(program, args, { env, stdio: ['ignore', descriptor, descriptor] })
    closeSync(descriptor)
    const running = new Running(child, folder, hooks, startedAt)
    try {
      return await use(running)
    } catch (error) {
      const said = readFileSync(log, 'utf8').split('\n').slice(-10).join('\n')
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`${contender.name} did not do it: ${why}; it said at last:\n${said}`, { cause: error })
    } finally {
      await running.#stop()
    }
  }

  memory(): ReturnType<typeof memoryOf> {
    return memoryOf(this.#child.pid ?? 0)
  }

  /** Seconds of CPU used so far. */
  cpu(): number {
    return cpuOf(this.#child.pid ?? 0)
  }

  async #stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(impatience)
    }
    this.hooks.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
