/**
 * Runs the helm program. Every run has a private folder for helm's files and credentials, which is deleted afterwards. Secrets are never passed as
 * arguments, because every user of the machine can read those.
 */
import { toYaml } from '../kube/index.ts'
import { CarabinerError, concat, type JsonObject, type Runtime, redactText } from '../runtime/index.ts'

export interface HelmCall {
  readonly args: readonly string[]
  readonly signal: AbortSignal
}

export interface HelmRun {
  readonly folder: string
  /** Writes a file into the folder of the run and returns its path. */
  write(name: string, content: string | Uint8Array): Promise<string>
  /** Returns what helm prints; rejects with a `HelmError` when it fails. */
  call(call: HelmCall): Promise<string>
}

export interface HelmOptions {
  readonly runtime: Runtime
  /** The helm program. @default helm on PATH */
  readonly program: string | undefined
  /** The caller, for messages: `deploy item "default/web"`. */
  readonly subject: string
  /** Further environment variables of helm. */
  readonly env: (folder: string) => Readonly<Record<string, string>>
  /** The existing parent of the run's folder. @default the temporary directory of the machine */
  readonly tmpDir?: string
  /** Initial files of the run by name. */
  readonly files?: Readonly<Record<string, string>>
}

/** Helm is not installed, failed with this message, or refused the values by the schema of the chart. */
export class HelmError extends CarabinerError {
  constructor(
    code: 'CRB_HELM_MISSING' | 'CRB_HELM_FAILED' | 'CRB_HELM_VALUES_REFUSED',
    message: string,
    cause?: unknown,
  ) {
    super(code, message, { cause })
    this.name = 'HelmError'
  }
}

/** Retrying cannot help. */
export function isHelmMissing(error: unknown): boolean {
  return error instanceof HelmError && error.code === 'CRB_HELM_MISSING'
}

/** A chart can print without end. The manifests of a release have a few MiB at most, because helm stores them compressed in a Secret. */
const maxOutputBytes = 64 * 1024 ** 2
/** Between SIGTERM and SIGKILL: helm records that the release failed. */
const gracePeriodMs = 10_000

export async function withHelm<T>(options: HelmOptions, work: (run: HelmRun) => Promise<T>): Promise<T> {
  const { runtime, tmpDir } = options
  const { files } = runtime
  const own = tmpDir === undefined ? undefined : await files.makePrivate(tmpDir, [])
  const folder = own?.path ?? (await files.makeTemporary('carabiner-helm-'))
  const write = async (name: string, content: string | Uint8Array) => {
    const path = `${folder}/${name}`
    await files.write(path, content, { mode: 0o600 })
    return path
  }
  try {
    const env = {
      ...options.env(folder),
      TMPDIR: folder,
      HELM_CACHE_HOME: `${folder}/cache`,
      HELM_CONFIG_HOME: `${folder}/config`,
      HELM_DATA_HOME: `${folder}/data`,
      HELM_PLUGINS: `${folder}/plugins`,
      HELM_REGISTRY_CONFIG: `${folder}/registries.json`,
      HELM_REPOSITORY_CONFIG: `${folder}/repositories.yaml`,
      HELM_REPOSITORY_CACHE: `${folder}/cache`,
    }
    for (const name of ['cache', 'config', 'data', 'plugins']) await files.makeDirectory(`${folder}/${name}`)
    for (const [name, content] of Object.entries(options.files ?? {})) await write(name, content)
    return await work({ folder, write, call: (call) => callHelm(options, env, call) })
  } finally {
    await files.remove(folder)
  }
}

async function callHelm({ runtime, program, subject }: HelmOptions, env: Record<string, string>, call: HelmCall) {
  const { args, signal } = call
  signal.throwIfAborted()
  const running = runtime.processes.spawn({ command: program ?? 'helm', args, env })
  let killTimer: { cancel(): void } | undefined
  const stop = () => {
    running.kill('SIGTERM')
    killTimer = runtime.clock.after(gracePeriodMs, () => running.kill('SIGKILL'))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [exit, stdout, stderr] = await Promise.all([
      running.exit,
      text(running.stdout, stop),
      text(running.stderr, stop),
    ])
    signal.throwIfAborted()
    if (stdout === undefined || stderr === undefined)
      throw new HelmError('CRB_HELM_FAILED', `helm ${args[0]}: prints more than ${maxOutputBytes / 1024 ** 2} MiB.`)
    if (exit.code === 0) return stdout
    const code = schemaRefusal.test(stderr) ? 'CRB_HELM_VALUES_REFUSED' : 'CRB_HELM_FAILED'
    throw new HelmError(code, `helm ${args[0]}: ${lastLines(stderr)}`)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new HelmError('CRB_HELM_MISSING', `${subject} needs the program helm: ${error.message}`, error)
  } finally {
    signal.removeEventListener('abort', stop)
    killTimer?.cancel()
  }
}

/** Helm has one exit code for all failures, so its words have to be read here. */
const schemaRefusal = /^Error: (.*: )?values don't meet the specifications of the schema/m

function isMissing(error: unknown): error is CarabinerError {
  return (
    error instanceof CarabinerError &&
    (error.code === 'CRB_PROCESS_NOT_FOUND' || error.code === 'CRB_PROCESS_NOT_STARTED')
  )
}

/** Undefined when the program prints too much; the rest of the output is dropped until the program has ended. */
async function text(stream: AsyncIterable<Uint8Array>, stop: () => void): Promise<string | undefined> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    const isFirstBeyond = length <= maxOutputBytes && length + chunk.length > maxOutputBytes
    length += chunk.length
    if (length <= maxOutputBytes) chunks.push(chunk)
    if (!isFirstBeyond) continue
    chunks = []
    stop()
  }
  return length > maxOutputBytes ? undefined : new TextDecoder().decode(concat(chunks))
}

/** Helm prints the error in its last lines, after warnings. */
function lastLines(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^WARNING|^level=warn|^W\d{4}/.test(line))
  return (
    redactText(
      lines
        .slice(-4)
        .join(' ')
        .replace(/^Error: /, '')
        .slice(0, 1000),
    ) || 'failed without output'
  )
}

/** As YAML, although helm reads JSON too, because its errors name lines. */
export function valuesFile(values: JsonObject): string {
  return toYaml(values)
}
