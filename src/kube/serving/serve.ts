/**
 * Serves what API servers call, and keeps it believed: credentials are served, announced and replaced without a restart. What is announced, and
 * where, is the caller's business.
 */
import type { HttpHandler, TlsServerOptions } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { CredentialSource, Credentials } from './source.ts'

export interface CalledServer {
  readonly listen: { readonly host: string; readonly port: number }
  /** How it is called in the log. */
  readonly title: string
  readonly source: CredentialSource
  readonly handler: HttpHandler
  /** Tells the API server where to call and whom to believe. */
  register(ca: string, port: number): Promise<void>
  /** A certificate is served now that ends at this time. */
  served?(until: number): void
}

export interface RunningServer {
  /** Registers again, for example because somebody has removed the registration. */
  register(): Promise<void>
  /** Resolves after the signal has aborted and nothing is served any more. */
  readonly ended: Promise<void>
}

const retryPause = 10_000

/** Resolves when it is registered for the first time. */
export async function serveCalls(runtime: Runtime, server: CalledServer, signal: AbortSignal): Promise<RunningServer> {
  const { clock, log } = runtime
  const { source, title } = server
  const first = await source.current()
  const listener = await runtime.http.listen({ ...server.listen, tls: first.tls }, server.handler)
  let told: Credentials | undefined

  /** One turn; says when the next one is. */
  async function turn(): Promise<number> {
    const current = await source.current()
    // Whom to believe is said before anybody has to.
    if (told?.ca !== current.ca) await server.register(current.ca, listener.port)
    if (!isSame(told?.tls, current.tls)) {
      listener.reload(current.tls)
      if (told !== undefined) log.info(`${title} serves another certificate`)
    }
    told = current
    if (current.until !== undefined) server.served?.(current.until)
    return current.next
  }

  async function keep(pause: number): Promise<void> {
    try {
      for (let next = pause; ; ) {
        await clock.sleep(next, signal)
        next = await turn().catch((error: unknown) => {
          log.error(`${title} cannot be registered or given its certificate; trying again`, { error })
          return retryPause
        })
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await listener.close()
    }
  }

  try {
    const pause = await turn()
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
