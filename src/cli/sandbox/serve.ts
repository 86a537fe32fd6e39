/**
 * Puts HTTP in front of a sandbox: loopback only, TLS by an authority of its own, and a kubeconfig that kubectl and helm understand.
 */
import { dirname, join } from 'node:path'
import { CarabinerError } from '../../runtime/errors.ts'
import type { HttpHandler } from '../../runtime/http.ts'
import { createAuthority } from '../../runtime/real/index.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.ts'

export interface ServeOptions extends SandboxOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** Where the kubeconfig is written. @default ~/.carabiner/sandbox.kubeconfig */
  readonly kubeconfig?: string
}

export interface ServedSandbox {
  readonly sandbox: Sandbox
  readonly origin: string
  readonly kubeconfig: string
  stop(): Promise<void>
}

const host = '127.0.0.1'

export async function serveSandbox(runtime: Runtime, options: ServeOptions): Promise<ServedSandbox> {
  const authority = createAuthority('carabiner sandbox authority')
  const tls = authority.issueServer({
    commonName: 'carabiner sandbox',
    names: [host, 'localhost', 'kubernetes.default.svc'],
  })
  // Clients are told the address, so the port has to be known before there is a server; nobody can ask that early.
  let handler: HttpHandler = async () => ({ status: 503, headers: {}, body: new Uint8Array() })
  const listener = await runtime.http.listen(
    { host, port: options.port, tls: { ...tls, clientCa: authority.cert } },
    (request) => handler(request),
  )
  const address = `${host}:${listener.port}`
  const sandbox = createSandbox(runtime, { ...options, address, rootCa: authority.cert })
  handler = sandbox.handler
  const origin = `https://${address}`
  const kubeconfig = options.kubeconfig ?? join(runtime.env['HOME'] ?? '.', '.carabiner', 'sandbox.kubeconfig')
  const stop = async () => {
    await sandbox.stop()
    await listener.close()
    // Its token opens nothing any more; that of a sandbox which was started since does.
    if ((await contentOf(runtime, kubeconfig)).includes(sandbox.adminToken)) await runtime.files.remove(kubeconfig)
  }
  try {
    await writeKubeconfig(runtime, kubeconfig, kubeconfigText(origin, authority.cert, sandbox.adminToken))
    await sandbox.ready
    return { sandbox, origin, kubeconfig, stop }
  } catch (error) {
    // What failed first is what counts.
    await stop().catch(() => undefined)
    throw error
  }
}

const contextName = 'carabiner-sandbox'
/** As we write it, and as kubectl does when it has changed something. */
const fromSandbox = new RegExp(`^ *"?current-context"?: "?${contextName}"?,?$`, 'm')

function kubeconfigText(server: string, ca: string, token: string): string {
  const name = contextName
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  }
  return `${JSON.stringify(config, null, 2)}\n`
}

/** Empty when there is no such file. */
async function contentOf({ files }: Runtime, path: string): Promise<string> {
  return (await files.facts(path)) === undefined ? '' : files.readText(path)
}

async function writeKubeconfig(runtime: Runtime, path: string, text: string): Promise<void> {
  try {
    const before = await contentOf(runtime, path)
    if (before.trim() !== '' && !fromSandbox.test(before))
      throw new CarabinerError('CRB_USAGE', `${path} is there already, and not from a sandbox: it would be lost`, {
        remedy: 'Choose another place with --kubeconfig FILE.',
      })
    await runtime.files.makeDirectory(dirname(path))
    await runtime.files.write(path, text, { mode: 0o600 })
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_USAGE') throw error
    throw new CarabinerError('CRB_FILE_UNREADABLE', `the kubeconfig cannot be written to ${path}`, {
      cause: error,
      remedy: 'Choose a place that can be written with --kubeconfig FILE.',
    })
  }
}
