/** Answers questions about queues, hooks and snapshots wherever somebody may ask them: on a socket, on a port. */
import type { RunMemory } from '../../../hooks/index.ts'
import type { ListenAddress } from '../../../runtime/http.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Engine } from '../engine/engine.ts'
import { showHook } from './hooks.ts'
import { debugRoutes, type MoreRoutes } from './routes.ts'
import { ChangeableSettings } from './settings.ts'

interface DebugSources {
  /** Answers for what the engine does not know. */
  readonly more: MoreRoutes | undefined
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
    // Hooks do their work whether or not somebody can look at them.
    http.listen(place, handler).catch((error: unknown) => void log.warn('nobody can look in', { error })),
  )
  const listeners = await Promise.all(listening)
  return {
    close: async () => {
      settings.stop()
      await Promise.all(listeners.flatMap((listener) => (listener === undefined ? [] : [listener.close()])))
    },
  }
}
