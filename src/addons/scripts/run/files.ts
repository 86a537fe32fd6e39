/**
 * The files of a run and the variables that name them. All exist, empty, before the hook starts: an untouched file means nothing was asked
 * for.
 */
import type { Timer } from '../../../runtime/clock.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { PrivateFolder } from '../../../runtime/files.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { HookScope } from '../hook.ts'

/** Names of the files; several variables may name the same one. */
const variables = {
  BINDING_CONTEXT_PATH: 'binding-context.json',
  METRICS_PATH: 'metrics.json',
  KUBERNETES_PATCH_PATH: 'kubernetes-patch.yaml',
  VALIDATING_RESPONSE_PATH: 'admission-response.json',
  ADMISSION_RESPONSE_PATH: 'admission-response.json',
  CONVERSION_RESPONSE_PATH: 'conversion-response.json',
} as const

const valuesVariables = {
  CONFIG_VALUES_PATH: 'config-values.json',
  VALUES_PATH: 'values.json',
  CONFIG_VALUES_JSON_PATCH_PATH: 'config-values-patch.json',
  VALUES_JSON_PATCH_PATH: 'values-patch.json',
} as const

export type RunFile =
  | (typeof variables)[keyof typeof variables]
  | (typeof valuesVariables)[keyof typeof valuesVariables]

const contextFile: RunFile = variables.BINDING_CONTEXT_PATH

/** Hooks of a plain folder know no values. */
function variablesOf(scope: HookScope): Readonly<Record<string, RunFile>> {
  return scope === 'standalone' ? variables : { ...variables, ...valuesVariables }
}

function namesOf(scope: HookScope): readonly RunFile[] {
  return [...new Set(Object.values(variablesOf(scope)))]
}

export function runEnvironment(folder: PrivateFolder, scope: HookScope): Readonly<Record<string, string>> {
  const paths = Object.entries(variablesOf(scope)).map(([variable, name]) => [variable, `${folder.path}/${name}`])
  return Object.fromEntries(paths)
}

export function contextPath(folder: PrivateFolder): string {
  return `${folder.path}/${contextFile}`
}

/** What the hook left, by file; files it did not touch are missing. */
export function readAnswers(
  folder: PrivateFolder,
  scope: HookScope,
): Promise<Readonly<Partial<Record<RunFile, string>>>> {
  const inputs: readonly RunFile[] = [contextFile, 'values.json', 'config-values.json']
  return folder.readNonEmpty(namesOf(scope).filter((name) => !inputs.includes(name)))
}

/** Milliseconds after which folders that nobody needs are removed. */
const patience = 200

interface FreeFolder {
  readonly folder: PrivateFolder
  /** By the monotonic clock. */
  readonly since: number
}

/**
 * Folders of runs. While one run follows another they are used again, for making and removing them takes longer than many a hook; those that
 * nobody has needed for a while go.
 */
export class RunFolders {
  readonly #runtime: Pick<Runtime, 'files' | 'clock' | 'log'>
  readonly #parent: string
  readonly #outlive: boolean
  /** The last one in is the first one out, so that what is not needed stays idle. */
  readonly #free = new Map<HookScope, FreeFolder[]>()
  readonly #leaving = new Set<Promise<void>>()
  #look: Timer | undefined
  #ready: Promise<void> | undefined

  /** `outlive`: they are there for somebody to look at, also later. */
  constructor(runtime: Pick<Runtime, 'files' | 'clock' | 'log'>, parent: string, outlive = false) {
    this.#runtime = runtime
    this.#parent = parent
    this.#outlive = outlive
  }

  async take(scope: HookScope): Promise<PrivateFolder> {
    const free = this.#free.get(scope)?.pop()
    if (free !== undefined) return free.folder
    const { files } = this.#runtime
    this.#ready ??= files.makeDirectory(this.#parent)
    try {
      await this.#ready
      return await files.makePrivate(this.#parent, namesOf(scope), { outlives: this.#outlive })
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  /** After a run. The next one need not wait for it. */
  giveBack(scope: HookScope, folder: PrivateFolder): void {
    this.#leave(folder, async () => {
      // At the next turn: by then the next one has been started, and this thread would only wait for it.
      await this.#runtime.clock.sleep(0)
      if (!(await folder.renew())) return folder.remove()
      const free = this.#free.get(scope) ?? []
      this.#free.set(scope, free)
      free.push({ folder, since: this.#runtime.clock.monotonic() })
      this.#look ??= this.#lookLater()
    })
  }

  /** After a run whose files somebody may still hold. */
  remove(folder: PrivateFolder): void {
    this.#leave(folder, () => folder.remove())
  }

  /** To be called when nothing runs any more; resolves when all is gone. */
  async close(): Promise<void> {
    await Promise.all(this.#leaving)
    this.#look?.cancel()
    this.#removeFree(Number.POSITIVE_INFINITY)
    await Promise.all(this.#leaving)
  }

  #lookLater(): Timer {
    return this.#runtime.clock.after(patience, () => {
      this.#removeFree(this.#runtime.clock.monotonic() - patience)
      this.#look = [...this.#free.values()].some(({ length }) => length > 0) ? this.#lookLater() : undefined
    })
  }

  #removeFree(until: number): void {
    for (const [scope, free] of this.#free) {
      this.#free.set(
        scope,
        free.filter(({ since }) => since > until),
      )
      for (const { folder, since } of free) if (since <= until) this.remove(folder)
    }
  }

  #leave(folder: PrivateFolder, action: () => Promise<void>): void {
    const leaving = action()
      .catch((error: unknown) => {
        // A hook may tidy up after itself.
        if (error instanceof CarabinerError && error.code === 'CRB_FILE_NOT_FOUND') return
        this.#runtime.log.warn('cannot remove the files of a run', { folder: folder.path, error })
      })
      .finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }
}
