/** A surface that a test can start, query and stop repeatedly. */
import type { KubeClient } from '../../src/kube/index.ts'
import type { HttpHandler } from '../../src/runtime/http.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'

interface SurfaceUnderTest {
  readonly routes: ReadonlyMap<string, HttpHandler>
  start(context: {
    readonly client: KubeClient
    readonly runtime: Runtime
    readonly signal: AbortSignal
  }): Promise<{ readonly ready: Promise<void>; stop(): Promise<void> }>
}

export function liveSurface(
  surface: SurfaceUnderTest,
  context: { readonly client: KubeClient; readonly runtime: Runtime },
) {
  let stopSurface: (() => Promise<void>) | undefined
  return {
    async start(): Promise<void> {
      const stopping = new AbortController()
      const running = await surface.start({ ...context, signal: stopping.signal })
      stopSurface = async () => {
        stopping.abort()
        await running.stop()
      }
      await running.ready
    },
    async stop(): Promise<void> {
      await stopSurface?.()
      stopSurface = undefined
    },
    async get(path: string): Promise<string> {
      const answer = await surface.routes.get(path)?.({ method: 'GET', target: path, headers: {} })
      return new TextDecoder().decode(answer?.body as Uint8Array)
    },
  }
}
