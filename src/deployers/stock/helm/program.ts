/**
 * Calls the helm program. Every run has a private folder for what helm keeps and for the credentials it needs, gone when the run is over;
 * nothing secret is ever an argument, because arguments can be read by everyone on the machine.
 */
import { toYaml } from '../../../kube/manifest/parse.ts'
import { concat } from '../../../kube/transport/bytes.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import { redactText } from '../../../runtime/redaction.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { LandscaperError } from '../../library/errors.ts'

export interface HelmSettings {
  /** The helm program. @default helm on PATH */
  readonly program?: string
  /** Folders with OCI image layouts that hold charts, by the prefix of the references they stand for. */
  readonly ociFolders?: Readonly<Record<string, string>>
}

export interface HelmCall {
  readonly args: readonly string[]
  readonly signal: AbortSignal
}

export interface HelmRun {
  readonly folder: string
  /** Writes a file of the run and gives its path. */
  write(name: string, content: string | Uint8Array): Promise<string>
  /** What helm printed; rejects with what it said when it failed. */
  call(call: HelmCall): Promise<string>
}

export interface RunMaterial {
  readonly runtime: Runtime
  readonly settings: HelmSettings
  /** The item, for messages: `deploy item "default/web"`. */
  readonly item: string
  readonly kubeconfig: string | undefined
  /** Credentials for registries, in the form of a docker configuration. */
  readonly registries: JsonObject | undefined
}

/** Milliseconds between asking helm to stop and ending it; it writes down that the release failed. */
const grace = 10_000

/** Taken over from our own environment: how to reach the network, and the identity of the pod for its own cluster. */
const passed = /^(PATH|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy|KUBERNETES_SERVICE_(HOST|PORT))$/i

export async function withHelm<T>(material: RunMaterial, work: (run: HelmRun) => Promise<T>): Promise<T> {
  const { runtime, kubeconfig, registries } = material
  const { files } = runtime
  const folder = await files.makeTemporary('carabiner-helm-')
  const write = async (name: string, content: string | Uint8Array) => {
    const path = `${folder}/${name}`
    await files.write(path, content, { mode: 0o600 })
    return path
  }
  try {
    const env: Record<string, string> = {
      HOME: folder,
      TMPDIR: folder,
      HELM_CACHE_HOME: `${folder}/cache`,
      HELM_CONFIG_HOME: `${folder}/config`,
      HELM_DATA_HOME: `${folder}/data`,
      HELM_PLUGINS: `${folder}/plugins`,
      HELM_REGISTRY_CONFIG: `${folder}/registries.json`,
      HELM_REPOSITORY_CONFIG: `${folder}/repositories.yaml`,
      HELM_REPOSITORY_CACHE: `${folder}/cache`,
    }
    for (const [name, value] of Object.entries(runtime.env)) {
      if (value !== undefined && passed.test(name)) env[name] = value
    }
    for (const name of ['cache', 'config', 'data', 'plugins']) await files.makeDirectory(`${folder}/${name}`)
    if (registries !== undefined) await write('registries.json', JSON.stringify(registries))
    if (kubeconfig !== undefined) env['KUBECONFIG'] = await write('kubeconfig', kubeconfig)
    return await work({ folder, write, call: (call) => callHelm(material, env, call) })
  } finally {
    await files.remove(folder)
  }
}

async function callHelm({ runtime, settings, item }: RunMaterial, env: Record<string, string>, call: HelmCall) {
  const command = settings.program ?? 'helm'
  const { args, signal } = call
  signal.throwIfAborted()
  const running = runtime.processes.spawn({ command, args, env })
  let ending: { cancel(): void } | undefined
  const stop = () => {
    running.kill('SIGTERM')
    ending = runtime.clock.after(grace, () => running.kill('SIGKILL'))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [exit, stdout, stderr] = await Promise.all([running.exit, text(running.stdout), text(running.stderr)])
    signal.throwIfAborted()
    if (exit.code === 0) return stdout
    throw new LandscaperError('RunHelm', 'HelmFailed', `helm ${args[0]}: ${lastWords(stderr)}`)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new LandscaperError('RunHelm', 'HelmMissing', `${item} needs the program helm: ${error.message}`, {
      codes: ['ERR_INTERNAL_PROBLEM'],
      cause: error,
    })
  } finally {
    signal.removeEventListener('abort', stop)
    ending?.cancel()
  }
}

function isMissing(error: unknown): error is CarabinerError {
  return (
    error instanceof CarabinerError &&
    (error.code === 'CRB_PROCESS_NOT_FOUND' || error.code === 'CRB_PROCESS_NOT_STARTED')
  )
}

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return new TextDecoder().decode(concat(chunks))
}

/** Helm says what went wrong in its last lines; warnings come before. */
function lastWords(stderr: string): string {
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
    ) || 'failed without a word'
  )
}

/** Helm reads JSON, but errors name lines. */
export function valuesFile(values: JsonObject): string {
  return toYaml(values)
}
