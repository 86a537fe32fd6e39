/**
 * The private directories of pods: home, temporary and working directory of their processes. All are in one folder, which is removed with
 * the sandbox, also when its process is killed.
 */
import type { Files, Runtime } from '../../../runtime/index.ts'

export class Folders {
  readonly #files: Files
  readonly #log: Runtime['log']
  #root: Promise<string> | undefined
  readonly #made = new Map<string, Promise<string>>()

  constructor({ files, log }: Pick<Runtime, 'files' | 'log'>) {
    this.#files = files
    this.#log = log
  }

  of(podUid: string): Promise<string> {
    const made = this.#made.get(podUid) ?? this.#make(podUid)
    this.#made.set(podUid, made)
    return made
  }

  /** The working directory of a container: a path of its image, which does not exist here, is created below `home`. */
  async below(home: string, workingDir: string): Promise<string> {
    const parts = workingDir.split('/').filter((part) => part !== '' && part !== '.' && part !== '..')
    const path = [home, ...parts].join('/')
    if (parts.length > 0) await this.#files.makeDirectory(path)
    return path
  }

  async remove(podUid: string): Promise<void> {
    const made = this.#made.get(podUid)
    this.#made.delete(podUid)
    if (made !== undefined) await this.#removeFolder(made)
  }

  async removeAll(): Promise<void> {
    if (this.#root !== undefined) await this.#removeFolder(this.#root)
  }

  /** A container may have left files that cannot be removed; the pod is removed nevertheless. */
  async #removeFolder(made: Promise<string>): Promise<void> {
    try {
      await this.#files.remove(await made)
    } catch (error) {
      this.#log.warn('the directory of a pod cannot be removed', { error })
    }
  }

  async #make(podUid: string): Promise<string> {
    try {
      this.#root ??= this.#files.makeTemporary('carabiner-sandbox-', { endsWithProcess: true })
      const path = `${await this.#root}/${podUid}`
      await this.#files.makeDirectory(path)
      return path
    } catch (error) {
      // The next attempt of the container tries again.
      this.#root = undefined
      this.#made.delete(podUid)
      throw error
    }
  }
}
