/**
 * The sandboxes of this user by name. Each has a folder with a lock that ends with its process, a record of where it is, and a socket over which it
 * is asked to stop. A record without a lock is that of a process that was killed; it is removed when the sandboxes are listed.
 */
import { join } from 'node:path'
import { CarabinerError, type FolderLock, type HttpListener, isJsonObject, type Runtime } from '../../runtime/index.ts'
import { textOf } from '../answer.ts'
import { homeFolders, isOwnFolder, makeUserFolder } from '../user-folder.ts'

/** What other processes see of a sandbox that runs. */
export interface SandboxRecord {
  readonly name: string
  readonly pid: number
  /** The command that started it: `up` or `sandbox`. */
  readonly command: string
  readonly address: string
  readonly kubeconfig: string
  /** The data folder; undefined when everything is in memory. */
  readonly data?: string
  /** In milliseconds since 1970. */
  readonly startedAt: number
}

export interface ListedSandbox extends SandboxRecord {
  /** Where its record is. */
  readonly folder: string
  readonly state: 'running' | 'not answering'
}

export interface ClaimedName {
  readonly name: string
  /** For the kubeconfig. */
  readonly folder: string
  /** Makes the sandbox visible; `stop` is called on a request to end. */
  publish(record: Omit<SandboxRecord, 'name'>, stop: () => void): Promise<void>
  release(): Promise<void>
}

export const defaultName = 'sandbox'
const validName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/
const maxDefaultNames = 100
const longestDefaultName = `${defaultName}-${maxDefaultNames}`
const answerTimeoutMs = 1_000

/** Where a sandbox is known: the folder of its record and its lock. */
interface Place {
  readonly folder: string
  readonly name: string
}

const recordFolderOf = ({ folder, name }: Place) => join(folder, 'sandboxes', name)
const recordOf = (place: Place) => join(recordFolderOf(place), 'sandbox.json')
/** Not below the folder of the record, because the path of a socket must be short. */
const socketNameOf = (name: string) => `${name}.socket`
const socketOf = ({ folder, name }: Place) => join(folder, socketNameOf(name))

export function checkedName(name: string): string {
  if (validName.test(name)) return name
  throw new CarabinerError('CRB_USAGE', `"${name}" is not a name for a sandbox: use up to 40 of a-z, 0-9 and "-"`)
}

/** Takes the name for this process; without a name `sandbox`, `sandbox-2`, … */
export async function claimName(runtime: Runtime, wanted: string | undefined): Promise<ClaimedName> {
  const folder = await makeUserFolder(runtime, homeFolders(runtime), socketNameOf(wanted ?? longestDefaultName))
  const names = wanted === undefined ? defaultNames() : [checkedName(wanted)]
  for (const name of names) {
    const lock = await runtime.files.lock(recordFolderOf({ folder, name }))
    if (lock !== undefined) return claimed(runtime, { name, folder }, lock)
  }
  const running = await readRecord(runtime, { folder, name: wanted ?? defaultName })
  throw new CarabinerError(
    'CRB_SANDBOX_RUNNING',
    `the sandbox "${wanted ?? defaultName}" already runs${running === undefined ? '' : `: process ${running.pid}, ${running.address}`}`,
  )
}

function* defaultNames(): Generator<string> {
  yield defaultName
  for (let number = 2; number <= maxDefaultNames; number++) yield `${defaultName}-${number}`
}

function claimed(runtime: Runtime, place: Place, lock: FolderLock): ClaimedName {
  const { files, http } = runtime
  const { name, folder } = place
  let control: HttpListener | undefined
  return {
    name,
    folder,
    async publish(record, stop) {
      const path = recordOf(place)
      await files.write(`${path}.new`, `${JSON.stringify({ name, ...record })}\n`, { mode: 0o600 })
      await files.rename(`${path}.new`, path)
      control = await http.listen({ socket: socketOf(place) }, async ({ method, target }) => {
        const isStop = method === 'POST' && target === '/stop'
        if (isStop) stop()
        return { status: isStop ? 202 : 200, headers: {}, body: new Uint8Array() }
      })
    },
    async release() {
      await control?.close()
      await forget(runtime, place)
      await lock.release()
    },
  }
}

/** Only for the holder of the lock. */
async function forget({ files }: Runtime, place: Place): Promise<void> {
  await files.remove(recordOf(place))
  await files.remove(socketOf(place))
}

async function readRecord({ files }: Runtime, place: Place): Promise<SandboxRecord | undefined> {
  if ((await files.facts(recordOf(place))) === undefined) return undefined
  const record: unknown = JSON.parse(await files.readText(recordOf(place)))
  return isJsonObject(record) ? (record as unknown as SandboxRecord) : undefined
}

/** All sandboxes of this user that run. */
export async function listSandboxes(runtime: Runtime): Promise<readonly ListedSandbox[]> {
  const { files } = runtime
  const places: Place[] = []
  for (const folder of homeFolders(runtime)) {
    const parent = join(folder, 'sandboxes')
    if (!(await isOwnFolder(runtime, folder)) || (await files.facts(parent)) === undefined) continue
    for (const name of await files.list(parent)) places.push({ folder, name })
  }
  const listed = await Promise.all(places.map((place) => listedAt(runtime, place)))
  return listed.filter((sandbox) => sandbox !== undefined).sort((one, other) => one.startedAt - other.startedAt)
}

async function listedAt(runtime: Runtime, place: Place): Promise<ListedSandbox | undefined> {
  const record = await readRecord(runtime, place)
  if (record === undefined) return undefined
  if (await asks(runtime, place, 'GET', '/')) return { ...record, ...place, state: 'running' }
  const lock = await runtime.files.lock(recordFolderOf(place))
  if (lock === undefined) return { ...record, ...place, state: 'not answering' }
  await forget(runtime, place)
  await lock.release()
  return undefined
}

/** Whether the sandbox accepts the request. */
async function asks(runtime: Runtime, place: Place, method: string, target: string): Promise<boolean> {
  const { http, clock } = runtime
  const late = new AbortController()
  const timer = clock.after(answerTimeoutMs, () => late.abort(new Error('no answer')))
  try {
    const endpoint = { origin: 'http://localhost', socket: socketOf(place) }
    const answer = await http.request(endpoint, { method, target, headers: {}, signal: late.signal })
    await textOf(answer)
    return answer.status < 300
  } catch {
    return false
  } finally {
    timer.cancel()
  }
}

/** The sandbox with this name, or the only one. */
export async function findSandbox(runtime: Runtime, name: string | undefined): Promise<ListedSandbox> {
  const all = await listSandboxes(runtime)
  const names = all.map((sandbox) => sandbox.name).join(', ')
  const found = name === undefined && all.length === 1 ? all[0] : all.find((sandbox) => sandbox.name === name)
  if (found !== undefined) return found
  if (name === undefined && all.length > 1)
    throw new CarabinerError('CRB_USAGE', `several sandboxes run: ${names}`, { remedy: 'Name one of them.' })
  throw new CarabinerError(
    'CRB_SANDBOX_NOT_FOUND',
    `no sandbox${name === undefined ? '' : ` "${name}"`} runs${names === '' ? '' : `; these run: ${names}`}`,
  )
}

const stopTimeoutMs = 30_000
const pollMs = 50

/** Asks the process to end and waits for it; no process is killed. */
export async function stopSandbox(runtime: Runtime, sandbox: ListedSandbox, signal: AbortSignal): Promise<void> {
  const { clock, files } = runtime
  const until = clock.monotonic() + stopTimeoutMs
  await asks(runtime, sandbox, 'POST', '/stop')
  for (;;) {
    const lock = await files.lock(recordFolderOf(sandbox))
    if (lock !== undefined) return lock.release()
    if (clock.monotonic() >= until)
      throw new CarabinerError(
        'CRB_SANDBOX_NOT_STOPPED',
        `the sandbox "${sandbox.name}" (process ${sandbox.pid}) did not end within ${stopTimeoutMs / 1000} s`,
      )
    await clock.sleep(pollMs, signal)
  }
}
