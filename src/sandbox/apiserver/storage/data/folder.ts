/** A data folder: locked for this process, with one data file. Opening it never changes that file. */
import { CarabinerError, type FolderLock, type JsonObject, type Runtime } from '../../../../runtime/index.ts'
import { readData, type SavedData } from './format.ts'
import { Journal } from './journal.ts'

export interface DataFolder {
  /** Undefined in a new folder. */
  readonly saved: SavedData | undefined
  /** Starts to save; `settings` are kept beside the objects. */
  journal(settings: JsonObject): Journal
  /** Releases the lock. */
  close(): Promise<void>
}

export type { SavedData }

const dataFile = /^data-(\d{8})$/
const unfinishedFile = 'data.new'
/** Also in a folder without a data file; the last one is in the top folder of a disk. */
const otherNames = /^(data\.new|lock(-.*)?|lost\+found)$/

export interface DataOptions {
  /**
   * Space that changes may take before a new file begins, if the snapshot is not larger.
   * @default 4 MiB
   */
  readonly compactionBytes?: number
}

export async function openDataFolder(runtime: Runtime, path: string, options: DataOptions = {}): Promise<DataFolder> {
  const { files } = runtime
  await files.makeDirectory(path, { mode: 0o700 })
  const lock = await files.lock(path)
  if (lock === undefined)
    throw new CarabinerError(
      'CRB_SANDBOX_DATA_IN_USE',
      `another sandbox that runs keeps its state in ${JSON.stringify(path)}`,
    )
  try {
    return await readFolder(runtime, path, { ...options, lock })
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function readFolder(
  runtime: Runtime,
  path: string,
  { compactionBytes = 4 * 1024 * 1024, lock }: DataOptions & { readonly lock: FolderLock },
): Promise<DataFolder> {
  const { files } = runtime
  const names = await files.list(path)
  const unknown = names.find((name) => !dataFile.test(name) && !otherNames.test(name))
  if (unknown !== undefined)
    throw new CarabinerError(
      'CRB_SANDBOX_DATA_INVALID',
      `${JSON.stringify(path)} is not a data folder of a sandbox: it contains ${JSON.stringify(unknown)}`,
      { remedy: 'Name an empty folder, or one that does not exist yet, with --data FOLDER.' },
    )
  const data = names.filter((name) => dataFile.test(name)).sort()
  const newest = data.at(-1)
  const saved = newest === undefined ? undefined : await readFile(runtime, `${path}/${newest}`)
  const generation = Number(dataFile.exec(newest ?? '')?.[1] ?? 0)
  return {
    saved,
    journal: (settings) =>
      new Journal(runtime, {
        settings,
        firstRevision: saved?.state.revision ?? 0,
        folder: path,
        compactionBytes,
        unfinished: `${path}/${unfinishedFile}`,
        older: data.map((name) => `${path}/${name}`),
        fileOf: (count) => `${path}/data-${String(generation + count).padStart(8, '0')}`,
      }),
    close: () => lock.release(),
  }
}

/** A data file that cannot be used is never replaced by an older one or by an empty cluster. */
async function readFile({ files }: Runtime, file: string): Promise<SavedData> {
  const bytes = await files.read(file)
  try {
    return readData(bytes)
  } catch (error) {
    throw new CarabinerError(
      'CRB_SANDBOX_DATA_INVALID',
      `cannot read ${JSON.stringify(file)}: ${(error as Error).message}`,
    )
  }
}
