/**
 * The files of a run and the variables that name them. All exist, empty, before the hook starts: an untouched file means nothing was asked
 * for.
 */
import type { Files, PrivateFolder } from '../../../runtime/files.ts'
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
  return folder.readFilled(namesOf(scope).filter((name) => !inputs.includes(name)))
}

/**
 * Folders for the runs to come, one made ahead for each scope: while a hook runs there is time for it, before the next one there is none.
 */
export class RunFolders {
  readonly #files: Files
  readonly #parent: string
  readonly #stock = new Map<HookScope, Promise<PrivateFolder>>()
  #ready: Promise<void> | undefined

  constructor(files: Files, parent: string) {
    this.#files = files
    this.#parent = parent
  }

  async take(scope: HookScope): Promise<PrivateFolder> {
    const made = this.#stock.get(scope)
    this.#stock.delete(scope)
    this.#ready ??= this.#files.makeDirectory(this.#parent)
    try {
      await this.#ready
      return await (made ?? this.#files.makePrivate(this.#parent, namesOf(scope)))
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  makeAhead(scope: HookScope): void {
    if (this.#stock.has(scope)) return
    const made = this.#files.makePrivate(this.#parent, namesOf(scope))
    // Whoever takes it is told.
    made.catch(() => undefined)
    this.#stock.set(scope, made)
  }

  /** Removes what was made ahead. */
  async close(): Promise<void> {
    const left = [...this.#stock.values()]
    this.#stock.clear()
    await Promise.allSettled(left.map(async (folder) => (await folder).remove()))
  }
}
