/**
 * Follows the files of a folder and reports which of them have changed, by content: an editor that replaces a file by an equal one changes nothing.
 * Changes that come within a short time are reported together, and the next ones only after the handler has returned.
 */
import { type FileFacts, type Files, type Runtime, sha256, type Timer, toBase64 } from '../../../runtime/index.ts'

/** Editors write several files, or a file in several steps. */
const quietMs = 100
/** Changes that never stop are reported after this time. */
const maxDelayMs = 1000
/** Of larger files only size and time are compared. */
const maxComparedBytes = 1024 * 1024

interface Mark {
  readonly facts: FileFacts
  readonly content: string
}

/** The files of a folder at one time, by path. */
export type FolderState = ReadonlyMap<string, Mark>

type Machine = Pick<Runtime, 'clock' | 'files' | 'log'>

export class FolderChanges {
  readonly #machine: Machine
  readonly #folder: string
  readonly #changed: (paths: ReadonlySet<string>) => Promise<void>
  readonly #unwatch: () => void
  #state: FolderState
  #timer: Timer | undefined
  /** When the first change came that is not reported yet. */
  #dirtySince: number | undefined
  #isClosed = false
  #work: Promise<void> = Promise.resolve()

  /** Begins with what has changed since `state`. */
  constructor(
    machine: Machine,
    { folder, state }: { readonly folder: string; readonly state: FolderState },
    changed: (paths: ReadonlySet<string>) => Promise<void>,
  ) {
    this.#machine = machine
    this.#folder = folder
    this.#state = state
    this.#changed = changed
    this.#unwatch = machine.files.watch(folder, () => this.#touched(), isSkippedFolder)
    this.#touched()
  }

  /** Resolves when the handler has returned. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#unwatch()
    await this.#work
  }

  #touched(): void {
    const now = this.#machine.clock.monotonic()
    if (now - (this.#dirtySince ?? now) >= maxDelayMs) return
    this.#dirtySince ??= now
    this.#timer?.cancel()
    this.#timer = this.#machine.clock.after(quietMs, () => {
      this.#work = this.#work.then(() => this.#look())
    })
  }

  async #look(): Promise<void> {
    if (this.#dirtySince === undefined || this.#isClosed) return
    this.#dirtySince = undefined
    try {
      const before = this.#state
      this.#state = await stateOf(this.#machine.files, this.#folder, before)
      const paths = difference(before, this.#state)
      if (paths.size > 0 && !this.#isClosed) await this.#changed(paths)
    } catch (error) {
      this.#machine.log.error('cannot follow the changes of a folder', { folder: this.#folder, error })
    }
  }
}

export function isSkippedFolder(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Reads only files whose size, mode or time differ from the previous state. */
export async function stateOf(files: Files, folder: string, previous: FolderState = new Map()): Promise<FolderState> {
  const state = new Map<string, Mark>()
  const visit = async (path: string): Promise<void> => {
    for (const name of await files.list(path).catch(() => [])) {
      const child = `${path}/${name}`
      const facts = await files.facts(child).catch(() => undefined)
      if (facts?.kind === 'directory' && !facts.link && !isSkippedFolder(name)) await visit(child)
      if (facts?.kind !== 'file' || name.startsWith('.')) continue
      const known = previous.get(child)
      if (known !== undefined && isSame(known.facts, facts)) state.set(child, known)
      else state.set(child, { facts, content: await contentOf(files, child, facts) })
    }
  }
  await visit(folder.replace(/\/+$/, ''))
  return state
}

function isSame(one: FileFacts, other: FileFacts): boolean {
  return one.size === other.size && one.mode === other.mode && one.modified === other.modified
}

async function contentOf(files: Files, path: string, { size, modified }: FileFacts): Promise<string> {
  if (size > maxComparedBytes) return `${size} ${modified}`
  return toBase64(sha256(await files.read(path).catch(() => new Uint8Array())))
}

function difference(before: FolderState, after: FolderState): ReadonlySet<string> {
  const changed = new Set<string>()
  for (const [path, { facts, content }] of after) {
    const old = before.get(path)
    if (old?.content !== content || old.facts.mode !== facts.mode) changed.add(path)
  }
  for (const path of before.keys()) if (!after.has(path)) changed.add(path)
  return changed
}
