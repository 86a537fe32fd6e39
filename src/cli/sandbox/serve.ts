/** Serves a sandbox over HTTPS on loopback with its own certificate authority, a kubeconfig for kubectl and helm, and a name. */
import { join, resolve } from 'node:path'
import {
  CarabinerError,
  type HttpHandler,
  type HttpListener,
  type Runtime,
  type TlsServerOptions,
} from '../../runtime/index.ts'
import {
  createSandbox,
  type DataFolder,
  openDataFolder,
  type Sandbox,
  type SandboxOptions,
} from '../../sandbox/index.ts'
import { removeKubeconfig, writeKubeconfig } from './kubeconfig.ts'
import { type ClaimedName, claimName } from './names.ts'
import { createSettings, readSettings, type ServerSettings, savedSettings } from './settings.ts'

export interface ServeOptions extends SandboxOptions {
  /** The command, for the list of sandboxes. */
  readonly command: string
  /** @default `sandbox`, or `sandbox-2` and so on while others run */
  readonly name?: string
  /** 0 takes any free port. @default that of the last start with the same data, else 6443; any free port while it is in use */
  readonly port?: number
  /** Where the kubeconfig is written. @default ~/.carabiner/NAME.kubeconfig */
  readonly kubeconfig?: string
  /** Folder in which the state is kept. @default everything is in memory */
  readonly data?: string
}

export interface ServedSandbox {
  readonly sandbox: Sandbox
  readonly name: string
  readonly origin: string
  readonly kubeconfig: string
  /** Whether the objects of an earlier start are there. */
  readonly isRestored: boolean
  /** Aborts when `carabiner sandbox stop` asks for the end. */
  readonly stopRequested: AbortSignal
  stop(): Promise<void>
}

const host = '127.0.0.1'
const usualPort = 6443

export async function serveSandbox(runtime: Runtime, options: ServeOptions): Promise<ServedSandbox> {
  // What has been started, for its end in reverse order.
  const started: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of started.splice(0).reverse()) await end()
  }
  try {
    const claim = await claimName(runtime, options.name)
    started.push(() => claim.release())
    const data = options.data === undefined ? undefined : await openDataFolder(runtime, resolve(options.data))
    if (data !== undefined) started.push(() => data.close())
    return { ...(await serve(runtime, options, { claim, data }, started)), stop }
  } catch (error) {
    // The first error is reported.
    await stop().catch(() => undefined)
    throw error
  }
}

interface Place {
  readonly claim: ClaimedName
  readonly data: DataFolder | undefined
}

async function serve(
  runtime: Runtime,
  options: ServeOptions,
  { claim, data }: Place,
  started: (() => Promise<void>)[],
): Promise<Omit<ServedSandbox, 'stop'>> {
  const saved = data?.saved
  const settings = saved ? readSettings(saved.settings, options.data ?? '') : createSettings(runtime.random)
  const { authority, credentials } = settings
  // The sandbox needs its address, so the port is opened first.
  let handler: HttpHandler = async () => ({ status: 503, headers: { 'retry-after': '1' }, body: new Uint8Array() })
  const listener = await listen(runtime, options, settings, (request) => handler(request))
  const journal = data?.journal(savedSettings(settings, listener.port))
  started.push(async () => {
    // No request can change anything after the journal is closed.
    await listener.close()
    await journal?.close()
  })
  const address = `${host}:${listener.port}`
  const sandbox = createSandbox(runtime, {
    ...options,
    address,
    rootCa: authority.cert,
    credentials,
    ...(saved && { state: saved.state }),
    ...(journal && { journal }),
  })
  started.push(() => sandbox.stop())
  // Before, a client could see a resourceVersion that would be given again after a crash.
  await journal?.flushed()
  handler = sandbox.handler
  const origin = `https://${address}`
  const kubeconfig = resolve(options.kubeconfig ?? join(claim.folder, `${claim.name}.kubeconfig`))
  const { adminToken: token } = sandbox
  await writeKubeconfig(runtime, kubeconfig, { name: claim.name, server: origin, ca: authority.cert, token })
  // With a data folder it is valid again after the next start.
  if (data === undefined) started.push(() => removeKubeconfig(runtime, kubeconfig, token))
  await sandbox.ready
  const ending = new AbortController()
  const startedAt = runtime.clock.now()
  const record = { pid: process.pid, command: options.command, address: origin, kubeconfig, startedAt }
  const kept = options.data === undefined ? {} : { data: resolve(options.data) }
  await claim.publish({ ...record, ...kept }, () => ending.abort(new Error('carabiner sandbox stop')))
  const { name } = claim
  return { sandbox, name, origin, kubeconfig, isRestored: saved !== undefined, stopRequested: ending.signal }
}

async function listen(
  runtime: Runtime,
  options: ServeOptions,
  { authority, port: savedPort }: ServerSettings,
  handler: HttpHandler,
): Promise<HttpListener> {
  const names = [host, 'localhost', 'kubernetes.default.svc']
  const server = authority.issueServer({ commonName: 'carabiner sandbox', names })
  const tls: TlsServerOptions = { ...server, clientCa: authority.cert }
  const on = (port: number) => runtime.http.listen({ host, port, flag: '--port', tls }, handler)
  if (options.port !== undefined) return on(options.port)
  try {
    return await on(savedPort ?? usualPort)
  } catch (error) {
    if (!(error instanceof CarabinerError) || error.code !== 'CRB_PORT_IN_USE') throw error
    if (savedPort !== undefined)
      runtime.log.warn('another port is used; other copies of the kubeconfig do not work with it', {
        reason: error.message,
      })
    return on(0)
  }
}
