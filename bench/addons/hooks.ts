/** A folder of hooks for one run of an operator, all of them the same small program, and the records that they write. */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface HookRecord {
  /** Milliseconds of the clock that `performanceNow` reads. */
  readonly began: number
  readonly ended: number
  /** Size of its binding context in bytes. */
  readonly size: number
  /** The context, unless it was larger than a mebibyte. */
  readonly context: string
  readonly hook: string
}

/** Compiles the hook; returns a sentence with the reason when that is impossible. */
export function compileHook(folder: string): { readonly program: string } | string {
  const program = join(folder, 'hook')
  const source = fileURLToPath(new URL('hook.c', import.meta.url))
  const { status, stderr } = spawnSync('cc', ['-O2', '-static', '-o', program, source], { encoding: 'utf8' })
  return status === 0 ? { program } : `the hook cannot be compiled: ${stderr ?? 'there is no cc'}`
}

/** Milliseconds of the monotonic clock, which all processes of the machine share. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Milliseconds between two reads of the log: a shorter interval would disturb the measurement. */
const lookEvery = 20

export class HooksFolder {
  readonly path: string
  readonly #root: string
  readonly #log: string
  readonly #gate: string
  #read = 0
  #rest = Buffer.alloc(0)
  readonly records: HookRecord[] = []

  /** `configs`: the output of each hook for --config, by its name. */
  constructor(program: string, configs: Readonly<Record<string, unknown>>) {
    this.#root = mkdtempSync(join(tmpdir(), 'carabiner-bench-hooks-'))
    this.path = join(this.#root, 'hooks')
    this.#log = join(this.#root, 'log')
    this.#gate = join(this.#root, 'gate')
    writeFileSync(this.#log, '')
    mkdirSync(this.path)
    for (const [name, config] of Object.entries(configs)) {
      // Links instead of copies: writing a hundred files keeps the disk busy while the operator starts them.
      linkSync(program, join(this.path, name))
      writeFileSync(join(this.path, `.${name}.json`), JSON.stringify(config))
    }
  }

  /** The environment of the hooks. */
  get env(): Readonly<Record<string, string>> {
    return { BENCH_LOG: this.#log, BENCH_GATE: this.#gate }
  }

  /** Runs that begin from now on wait until the gate is opened. */
  closeGate(): void {
    writeFileSync(this.#gate, '')
  }

  openGate(): void {
    rmSync(this.#gate)
  }

  /** Waits until `isEnough` holds for the records so far. */
  async until(what: string, isEnough: (records: readonly HookRecord[]) => boolean, seconds = 60): Promise<void> {
    const deadline = monotonic() + seconds * 1000
    for (;;) {
      this.#readOn()
      if (isEnough(this.records)) return
      if (monotonic() > deadline)
        throw new Error(`${what} did not happen within ${seconds} s: ${this.records.length} runs`)
      await new Promise((resolve) => setTimeout(resolve, lookEvery))
    }
  }

  /** Discards the records so far. */
  clear(): void {
    this.#readOn()
    this.records.length = 0
  }

  remove(): void {
    if (existsSync(this.#root)) rmSync(this.#root, { recursive: true })
  }

  #readOn(): void {
    const file = openSync(this.#log, 'r')
    const block = Buffer.alloc(fstatSync(file).size - this.#read)
    this.#read += readSync(file, block, 0, block.length, this.#read)
    this.#rest = Buffer.concat([this.#rest, block])
    closeSync(file)
    for (let next = recordAt(this.#rest); next !== undefined; next = recordAt(this.#rest)) {
      this.records.push(next.record)
      this.#rest = this.#rest.subarray(next.length)
    }
  }
}

function recordAt(bytes: Buffer): { readonly record: HookRecord; readonly length: number } | undefined {
  const end = bytes.indexOf(10)
  if (end < 0) return undefined
  const [began, ended, size, copied, hook = ''] = bytes.toString('utf8', 0, end).split(' ')
  const length = end + 1 + Number(copied) + 1
  if (bytes.length < length) return undefined
  const context = bytes.toString('utf8', end + 1, length - 1)
  return {
    record: { began: Number(began) / 1e6, ended: Number(ended) / 1e6, size: Number(size), context, hook },
    length,
  }
}
