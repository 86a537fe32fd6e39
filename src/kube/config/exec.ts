/**
 * Credential plugins: a program prints an `ExecCredential`, which is used until it expires or the server refuses it. The program gets no
 * terminal; a plugin that requires one is an error.
 */
import {
  CarabinerError,
  concat,
  isJsonObject,
  type JsonObject,
  type ProcessExit,
  type Runtime,
} from '../../runtime/index.ts'
import type { Credential, Credentials } from './credential.ts'
import { fieldsOf } from './fields.ts'
import type { Entry } from './kubeconfig.ts'
import { relativeTo } from './paths.ts'

/** The cluster as `ExecCredential` describes it to a plugin. */
export type ClusterFacts = () => Promise<JsonObject>

const group = 'client.authentication.k8s.io'

interface Plugin {
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly installHint: string | undefined
  readonly provideClusterInfo: boolean
}

export function execCredentials(
  user: Entry,
  spec: JsonObject,
  cluster: ClusterFacts,
  runtime: Pick<Runtime, 'clock' | 'processes' | 'env'>,
): Credentials {
  const plugin = pluginOf(user, spec)
  let held: { readonly credential: Credential; readonly expires: number } | undefined
  let running: Promise<Credential> | undefined

  async function run(): Promise<Credential> {
    const info = {
      kind: 'ExecCredential',
      apiVersion: plugin.apiVersion,
      spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster: await cluster() } : {}) },
    }
    const { credential, expires } = readCredential(plugin, await output(plugin, JSON.stringify(info), runtime))
    held = { credential, expires }
    return credential
  }

  // One process for all waiting requests: plugins open browsers and call servers.
  function runOnce(): Promise<Credential> {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    async current() {
      if (held !== undefined && runtime.clock.now() <= held.expires) return held.credential
      return runOnce()
    },
    async renew() {
      await runOnce()
    },
  }
}

function pluginOf(user: Entry, spec: JsonObject): Plugin {
  const fields = fieldsOf('user', { ...user, name: user.name, fields: spec })
  const fail = (field: string, problem: string, remedy?: string) => fields.fail(`exec.${field}`, problem, remedy)
  const apiVersion = fields.text('apiVersion') ?? ''
  if (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`) {
    throw fail('apiVersion', `is "${apiVersion}"`, `Use ${group}/v1, and a plugin that supports it.`)
  }
  const command = fields.text('command')
  if (command === undefined) throw fail('command', 'is missing')
  if (fields.text('interactiveMode') === 'Always') {
    throw fail('interactiveMode', 'is Always, but there is no terminal for the plugin', 'Use Never or IfAvailable.')
  }
  const env: Record<string, string> = {}
  const pairs = spec['env'] ?? []
  if (!Array.isArray(pairs)) throw fail('env', 'is not a list')
  for (const pair of pairs) {
    const [name, value] = isJsonObject(pair) ? [pair['name'], pair['value']] : []
    if (typeof name !== 'string' || typeof value !== 'string') throw fail('env', 'has an item without name and value')
    env[name] = value
  }
  return {
    apiVersion,
    // A bare name is searched in PATH; a path is relative to the kubeconfig.
    command: /[/\\]/.test(command) ? relativeTo(user.file, command) : command,
    args: fields.list('args'),
    env,
    installHint: fields.text('installHint'),
    provideClusterInfo: fields.flag('provideClusterInfo'),
  }
}

async function output(
  plugin: Plugin,
  info: string,
  { processes, env }: Pick<Runtime, 'processes' | 'env'>,
): Promise<string> {
  const inherited = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const child = processes.spawn({
    command: plugin.command,
    args: plugin.args,
    env: { ...Object.fromEntries(inherited), ...plugin.env, KUBERNETES_EXEC_INFO: info },
  })
  let results: [string, string, ProcessExit]
  try {
    results = await Promise.all([text(child.stdout), text(child.stderr), child.exit])
  } catch (cause) {
    throw failed(plugin, 'could not be started', {
      cause,
      ...(plugin.installHint ? { remedy: plugin.installHint } : {}),
    })
  }
  const [stdout, stderr, exit] = results
  if (exit.code === 0) return stdout
  const end = exit.code === undefined ? `was ended by ${exit.signal}` : `ended with code ${exit.code}`
  const words = stderr.trim().split('\n').slice(-3).join(' ').slice(0, 300)
  throw failed(plugin, words === '' ? end : `${end}: ${words}`)
}

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return new TextDecoder().decode(concat(chunks))
}

function readCredential(plugin: Plugin, printed: string): { credential: Credential; expires: number } {
  let answer: unknown
  try {
    answer = JSON.parse(printed)
  } catch {
    // Do not quote the output: it may contain a secret.
    throw failed(plugin, 'printed something that is not JSON')
  }
  const status = isJsonObject(answer) ? answer['status'] : undefined
  if (!isJsonObject(answer) || answer['kind'] !== 'ExecCredential' || !isJsonObject(status)) {
    throw failed(plugin, 'printed no ExecCredential with a status')
  }
  if (answer['apiVersion'] !== plugin.apiVersion) {
    throw failed(plugin, `returned ${JSON.stringify(answer['apiVersion'])} instead of ${plugin.apiVersion}`)
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status
  const hasToken = typeof token === 'string' && token !== ''
  const hasPair = typeof cert === 'string' && typeof key === 'string'
  if (!hasToken && !hasPair) throw failed(plugin, 'returned neither a token nor a certificate with its key')
  const expires = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY
  return {
    credential: { ...(hasToken ? { authorization: `Bearer ${token}` } : {}), ...(hasPair ? { cert, key } : {}) },
    expires,
  }
}

function failed(plugin: Plugin, what: string, details: { cause?: unknown; remedy?: string } = {}): CarabinerError {
  return new CarabinerError('CRB_CREDENTIALS_FAILED', `The credential plugin "${plugin.command}" ${what}.`, details)
}
