/** Resolves a context of a kubeconfig with its cluster, user and namespace into a connection. */
import { CarabinerError, type JsonObject, type Runtime, textToBase64 } from '../../runtime/index.ts'
import { assemble } from './assemble.ts'
import type { Connection } from './connection.ts'
import { credentialsOf, pemSource } from './credentials.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { impersonationOf } from './impersonation.ts'
import type { Entry, Kubeconfig } from './kubeconfig.ts'
import { proxyFor } from './proxy.ts'

export function connectionOf(
  config: Kubeconfig,
  runtime: Pick<Runtime, 'files' | 'clock' | 'processes' | 'env'>,
  wanted?: string,
): Connection {
  const contextName = wanted ?? config.currentContext
  if (contextName === '') {
    throw new CarabinerError(
      'CRB_KUBECONFIG_UNKNOWN',
      `${config.files.join(', ')}: there is no current-context; contexts are ${names(config.contexts)}.`,
    )
  }
  const context = entry(config, 'contexts', contextName)
  const inContext = fieldsOf('context', context)
  const cluster = entry(config, 'clusters', inContext.text('cluster') ?? '', context)
  const userName = inContext.text('user')
  const user: Entry = userName === undefined ? noUser : entry(config, 'users', userName, context)

  const fields = fieldsOf('cluster', cluster)
  const server = serverOf(fields)
  const ca = pemSource(cluster, 'certificate-authority', runtime, 'cluster')
  const insecure = fields.flag('insecure-skip-tls-verify')
  if (insecure && ca !== undefined) {
    throw fields.fail('insecure-skip-tls-verify', 'is set beside a certificate-authority', 'Remove one of the two.')
  }
  const serverName = fields.text('tls-server-name')
  const proxy = fields.text('proxy-url') ?? proxyFor(server, runtime.env)
  const impersonation = impersonationOf(fieldsOf('user', user))
  const facts = async (): Promise<JsonObject> => ({
    server,
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
    ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': textToBase64(await ca.read()) }),
    ...(fields.text('proxy-url') === undefined ? {} : { 'proxy-url': proxy ?? '' }),
    config: pluginConfig(cluster),
  })
  // As kubectl does: no credentials are sent without TLS.
  const secure = server.startsWith('https:')
  return assemble({
    name: contextName,
    server,
    namespace: inContext.text('namespace') ?? 'default',
    proxy,
    ca,
    credentials: secure ? credentialsOf(user, facts, runtime) : undefined,
    tls: {
      ...(insecure ? { insecureSkipVerify: true } : {}),
      ...(serverName === undefined ? {} : { serverName }),
    },
    headers: impersonation,
  })
}

const noUser: Entry = { name: '', file: '', fields: {} }

function serverOf(fields: Fields): string {
  const server = fields.text('server')
  if (server === undefined)
    throw fields.fail('server', 'is missing', 'Give the address, for example https://host:6443.')
  const url = addressIn(server)
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw fields.fail('server', `is "${server}", which is not an address`, 'Give it as https://host:port.')
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** As in kubectl, a bare host means plain HTTP. */
function addressIn(server: string): URL | undefined {
  try {
    return new URL(server.includes('://') ? server : `http://${server}`)
  } catch {
    return undefined
  }
}

/** The configuration of plugins is in an extension of the cluster with a reserved name. */
function pluginConfig(cluster: Entry): JsonObject[string] {
  const extensions = cluster.fields['extensions']
  if (!Array.isArray(extensions)) return null
  for (const item of extensions as readonly JsonObject[]) {
    if (item['name'] === 'client.authentication.k8s.io/exec') return item['extension'] ?? null
  }
  return null
}

const kinds = { clusters: 'cluster', users: 'user', contexts: 'context' } as const

function entry(config: Kubeconfig, list: keyof typeof kinds, name: string, from?: Entry): Entry {
  const found = config[list].get(name)
  if (found !== undefined) return found
  const place = from === undefined ? config.files.join(', ') : `${from.file}: context "${from.name}"`
  throw new CarabinerError(
    'CRB_KUBECONFIG_UNKNOWN',
    `${place}: there is no ${kinds[list]} "${name}"; ${list} are ${names(config[list])}.`,
  )
}

function names(entries: ReadonlyMap<string, Entry>): string {
  return entries.size === 0 ? '(none)' : [...entries.keys()].map((name) => `"${name}"`).join(', ')
}
