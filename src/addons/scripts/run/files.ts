/** The files of a run and the variables that name them. All exist and are empty before the hook starts. */
import { CarabinerError, type PrivateFolder, type Runtime, type Timer } from '../../../runtime/index.ts'
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

/** Hooks of a plain folder have no values. */
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

/** What the hook wrote, by file; files that are still empty are left out. */
export function readAnswers(
  folder: PrivateFolder,
  scope: HookScope,
): Promise<Readonly<Partial<Record<RunFile, string>>>> {
  const inputs: readonly RunFile[] = [contextFile, 'values.json', 'config-values.json']
  return folder.readNonEmpty(namesOf(scope).filter((name) => !inputs.includes(name)))
}

const unusedFolderMs = 200

interface FreeFolder {
  readonly folder: PrivateFolder
  /** By the monotonic clock. */
  readonly since: number
}

/**
 * Folders of runs. They are used again while one run follows another, because creating and removing a folder takes longer than a short
 * hook; folders that have not been used for a while are removed.
 */
export class RunFolders {
  readonly #runtime: Pick<Runtime, 'files' | 'clock' | 'log'>
  readonly #parent: string
  readonly #outlive: boolean
  /** Last in, first out, so that folders above the current need stay unused and are removed. */
  readonly #free = new Map<HookScope, FreeFolder[]>()
  readonly #leaving = new Set<Promise<void>>()
  #look: Timer | undefined
  #ready: Promise<void> | undefined

  /** `outlive`: the folders are kept for inspection after the process has ended. */
  constructor(runtime: Pick<Runtime, 'files' | 'clock' | 'log'>, parent: string, { outlive = false } = {}) {
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

  /** After a run; the next run does not wait for it. */
  giveBack(scope: HookScope, folder: PrivateFolder): void {
    this.#leave(folder, async () => {
      // At the next turn, when the next run has been started and this thread is free.
      await this.#runtime.clock.sleep(0)
      if (!(await folder.renew())) return folder.remove()
      const free = this.#free.get(scope) ?? []
      this.#free.set(scope, free)
      free.push({ folder, since: this.#runtime.clock.monotonic() })
      this.#look ??= this.#lookLater()
    })
  }

  /** After a run that left processes, which may still write to its files. */
  remove(folder: PrivateFolder): void {
    this.#leave(folder, () => folder.remove())
  }

  /** Called after the last run has ended; resolves when all folders are removed. */
  async close(): Promise<void> {
    await Promise.all(this.#leaving)
    this.#look?.cancel()
    this.#removeFree(Number.POSITIVE_INFINITY)
    await Promise.all(this.#leaving)
  }

  #lookLater(): Timer {
    return this.#runtime.clock.after(unusedFolderMs, () => {
      this.#removeFree(this.#runtime.clock.monotonic() - unusedFolderMs)
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
        // A hook may have removed it.
        if (error instanceof CarabinerError && error.code === 'CRB_FILE_NOT_FOUND') return
        this.#runtime.log.warn('cannot remove the files of a run', { folder: folder.path, error })
      })
      .finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }
}
