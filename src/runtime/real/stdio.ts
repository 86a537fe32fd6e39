/**
 * Standard streams as in a shell: a file for input, named pipes for output. Node.js passes sockets; with those bash reads the user's start-up
 * files, and a script that writes to /dev/stderr fails.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import type { ProcessOutput } from './output.ts'
import { OutputPipe } from './pipe.ts'

/** Creating pipes needs another program (`mkfifo`), so they are created in batches and reused. */
const pipesPerBatch = 32
/** The batch size when many programs will be started. */
export const pipesPerLargeBatch = 64

export interface OpenPipe {
  /** For a program that opens the pipe itself. */
  readonly path: string
  /** The writing end for the program; must be closed here once the program has started. */
  readonly descriptor: number
  readonly pipe: OutputPipe
}

export class StandardStreams {
  #folder: string | undefined
  readonly #stock: string[] = []
  #count = 0
  #stocking: Promise<void> | undefined
  // At its end a worker thread closes all descriptors it has opened, even those that a socket has closed and the system has reused.
  #possible = isMainThread

  /** Where the pipes are; undefined until one was created. */
  get folder(): string | undefined {
    return this.#folder
  }

  /** A descriptor that reads `content` from its start. The file is already unlinked. */
  openInput(content: Uint8Array): number {
    const path = join(tmpdir(), `carabiner-input-${randomUUID()}`)
    const descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    // Written with an explicit position, so that the process reads from 0.
    for (let done = 0; done < content.byteLength; )
      done += writeSync(descriptor, content, done, content.byteLength - done, done)
    return descriptor
  }

  /** Undefined where no pipe can be created (no `mkfifo`, a worker thread); the caller uses the sockets of Node.js instead. */
  openOutput(output: ProcessOutput): OpenPipe | undefined {
    const [path] = this.take(1)
    if (path === undefined) return undefined
    // Opened first and non-blocking: the reader must not wait for a writer, and the writer needs a reader.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const descriptor = openSync(path, constants.O_WRONLY)
    // The pipe closes when no process writes to it; then its path can be used again.
    return { path, descriptor, pipe: new OutputPipe(readEnd, output, () => this.giveBack(path)) }
  }

  /** Creates a large batch in the background, once. */
  fillStock(): Promise<void> {
    this.#stocking ??= this.#createInBackground(pipesPerLargeBatch)
    return this.#stocking
  }

  async #createInBackground(count: number): Promise<void> {
    if (!this.#possible) return
    try {
      const paths = this.#newPaths(count)
      const [code] = await once(spawn(...mkfifoCommand(paths), { stdio: 'ignore' }), 'exit')
      if (code === 0) this.giveBack(...paths)
    } catch {
      // The next `take` tries again.
    }
  }

  /** Paths of `count` unused pipes; empty where they cannot be created. */
  take(count: number): readonly string[] {
    if (this.#stock.length < count && this.#possible) this.#create(Math.max(count, pipesPerBatch))
    return this.#stock.length < count ? [] : this.#stock.splice(-count)
  }

  /** Returns pipes that no process has open. */
  giveBack(...paths: readonly string[]): void {
    this.#stock.push(...paths)
  }

  #create(count: number): void {
    const paths = this.#newPaths(count)
    this.#possible = spawnSync(...mkfifoCommand(paths)).status === 0
    if (this.#possible) this.giveBack(...paths)
  }

  #newPaths(count: number): readonly string[] {
    const folder = this.#ownFolder()
    return Array.from({ length: count }, () => join(folder, `output-${this.#count++}`))
  }

  #ownFolder(): string {
    if (this.#folder === undefined) {
      const folder = mkdtempSync(join(tmpdir(), 'carabiner-streams-'))
      this.#folder = folder
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    }
    return this.#folder
  }
}

/** `mkfifo` is part of every Unix; Node.js has no function for it. */
function mkfifoCommand(paths: readonly string[]): [program: string, args: string[]] {
  return ['mkfifo', ['-m', '600', ...paths]]
}

/** Closes the descriptors that were opened for a process, whether or not it started. */
export function closeAll(descriptors: readonly (number | undefined)[]): void {
  for (const descriptor of descriptors) if (descriptor !== undefined) closeSync(descriptor)
}
