/**
 * Starts one program of the control plane, saves its log, and stops it. A program that ends early is reported with the end of its log.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'

export class RunningProgram {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #log: string
  #ended = false

  constructor(file: string, args: readonly string[], folder: string) {
    this.#name = basename(file)
    this.#log = join(folder, `${this.#name}.log`)
    const log = openSync(this.#log, 'a')
    this.#child = spawn(file, args, { cwd: folder, stdio: ['ignore', log, log] })
    this.#child.once('exit', () => {
      this.#ended = true
    })
    this.#child.once('error', () => {
      this.#ended = true
    })
  }

  get name(): string {
    return this.#name
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Throws an error with the end of the log when the program has ended. */
  assertAlive(): void {
    if (!this.#ended) return
    const end = readFileSync(this.#log, 'utf8').split('\n').slice(-15).join('\n')
    throw new Error(`${this.#name} ended early:\n${end}`)
  }

  async stop(): Promise<void> {
    if (this.#ended) return
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(impatience)
  }
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** Polls `condition` until it holds; an error that it throws counts as false. */
export async function eventually(what: string, condition: () => Promise<boolean>, seconds = 90): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  let last: unknown
  while (Date.now() < deadline) {
    try {
      if (await condition()) return
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${what} did not happen within ${seconds} s`, { cause: last })
}
