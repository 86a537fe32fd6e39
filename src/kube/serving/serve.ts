/**
 * Serves webhooks and renews their certificate without a restart: the CA is registered before the certificate is served. The caller registers.
 */
import type { HttpHandler, Runtime, TlsServerOptions } from '../../runtime/index.ts'
import type { CredentialSource, Credentials } from './source.ts'

export interface WebhookServer {
  readonly listen: { readonly host: string; readonly port: number; readonly flag?: string }
  /** The name of the server in the log. */
  readonly title: string
  readonly source: CredentialSource
  readonly handler: HttpHandler
  /** Registers the address and the CA with the API server. */
  register(ca: string, port: number): Promise<void>
  /** Called when a certificate is served that expires at this time. */
  served?(until: number): void
}

export interface RunningServer {
  /** Registers again, for example after someone deleted the registration. */
  register(): Promise<void>
  /** Resolves when the signal has aborted and the server is closed. */
  readonly ended: Promise<void>
}

const retryPauseMs = 10_000

/** Resolves after the first registration. */
export async function serveWebhooks(
  runtime: Runtime,
  server: WebhookServer,
  signal: AbortSignal,
): Promise<RunningServer> {
  const { clock, log } = runtime
  const { source, title } = server
  const first = await source.current()
  const listener = await runtime.http.listen({ ...server.listen, tls: first.tls }, server.handler)
  let registered: Credentials | undefined

  /** Returns the milliseconds until the next update. */
  async function update(): Promise<number> {
    const current = await source.current()
    // Register the CA before serving its certificate.
    if (registered?.ca !== current.ca) await server.register(current.ca, listener.port)
    if (!isSame(registered?.tls, current.tls)) {
      listener.reload(current.tls)
      if (registered !== undefined) log.info(`${title} serves a new certificate`)
    }
    registered = current
    if (current.until !== undefined) server.served?.(current.until)
    return current.next
  }

  async function keep(pause: number): Promise<void> {
    try {
      for (let next = pause; ; ) {
        await clock.sleep(next, signal)
        next = await update().catch((error: unknown) => {
          log.error(`${title}: registration or certificate renewal failed; retrying`, { error })
          return retryPauseMs
        })
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await listener.close()
    }
  }

  try {
    const pause = await update()
    return {
      register: async () => server.register((await source.current()).ca, listener.port),
      ended: keep(pause),
    }
  } catch (error) {
    await listener.close()
    throw error
  }
}

function isSame(one: TlsServerOptions | undefined, other: TlsServerOptions): boolean {
  return one?.cert === other.cert && one.key === other.key && one.clientCa === other.clientCa
}
