/** Serves a sandbox over HTTPS on loopback with its own certificate authority, and writes a kubeconfig for kubectl and helm. */
import { dirname, join } from 'node:path'
import { CarabinerError, type HttpHandler, type Runtime } from '../../runtime/index.ts'
import { createAuthority } from '../../runtime/real/index.ts'
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
  // The sandbox needs its address, so the port is opened first. No client knows the port yet, so no request gets the 503.
  let handler: HttpHandler = async () => ({ status: 503, headers: {}, body: new Uint8Array() })
  const listener = await runtime.http.listen(
    { host, port: options.port, flag: '--port', tls: { ...tls, clientCa: authority.cert } },
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
    // Removed only if it has the token of this sandbox: another sandbox may have replaced the file.
    if ((await contentOf(runtime, kubeconfig)).includes(sandbox.adminToken)) await runtime.files.remove(kubeconfig)
  }
  try {
    await writeKubeconfig(runtime, kubeconfig, kubeconfigText(origin, authority.cert, sandbox.adminToken))
    await sandbox.ready
    return { sandbox, origin, kubeconfig, stop }
  } catch (error) {
    // The first error is reported.
    await stop().catch(() => undefined)
    throw error
  }
}

const contextName = 'carabiner-sandbox'
/** Matches the file as written here (JSON) and as kubectl rewrites it (YAML). */
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

/** Empty when the file does not exist. */
async function contentOf({ files }: Runtime, path: string): Promise<string> {
  return (await files.facts(path)) === undefined ? '' : files.readText(path)
}

async function writeKubeconfig(runtime: Runtime, path: string, text: string): Promise<void> {
  try {
    const before = await contentOf(runtime, path)
    if (before.trim() !== '' && !fromSandbox.test(before))
      throw new CarabinerError(
        'CRB_USAGE',
        `${path} already exists and was not written by a sandbox; it is not overwritten`,
        {
          remedy: 'Choose another path with --kubeconfig FILE.',
        },
      )
    await runtime.files.makeDirectory(dirname(path))
    await runtime.files.write(path, text, { mode: 0o600 })
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_USAGE') throw error
    throw new CarabinerError('CRB_FILE_UNREADABLE', `the kubeconfig cannot be written to ${path}`, {
      cause: error,
      remedy: 'Choose a writable path with --kubeconfig FILE.',
    })
  }
}
