/** Serves the debug routes on sockets and ports. */
import type { RunMemory } from '../../../hooks/index.ts'
import type { ListenAddress, Runtime } from '../../../runtime/index.ts'
import type { Engine } from '../engine/engine.ts'
import { showHook } from './hooks.ts'
import { debugRoutes, type ExtraRoutes } from './routes.ts'
import { ChangeableSettings } from './settings.ts'

interface DebugSources {
  /** Additional routes. */
  readonly more: ExtraRoutes | undefined
  readonly runs: RunMemory
}

export async function serveDebug(
  places: readonly ListenAddress[],
  engine: Engine,
  { http, clock, log, logVolume }: Runtime,
  { more, runs }: DebugSources,
) {
  const settings = new ChangeableSettings(clock, logVolume)
  const view = {
    queues: () => engine.queues,
    hooks: () => engine.hooks.map(showHook),
    snapshots: (hook: string) => engine.snapshots(hook),
    runs: () => runs.list(),
    settings,
  }
  const handler = debugRoutes(view, more)
  const listening = places.map((place) =>
    // Hooks run without the debug endpoint too.
    http
      .listen(place, handler)
      .catch((error: unknown) => void log.warn('debug endpoint could not be started', { error })),
  )
  const listeners = await Promise.all(listening)
  return {
    close: async () => {
      settings.stop()
      await Promise.all(listeners.flatMap((listener) => (listener === undefined ? [] : [listener.close()])))
    },
  }
}
