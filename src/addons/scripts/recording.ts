/**
 * Chooses where runs of script hooks and modules are recorded: always in the memory of the operator, and in the journal where it cannot
 * trigger hooks.
 */
import { Journal, type Page, Recorder, RunMemory } from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { BackgroundQueue } from '../../kube/queue/background-queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Hook } from './hook.ts'
import type { ScriptsOptions } from './options.ts'

export interface Recording {
  readonly to: { readonly recorder: Recorder; readonly page?: Page }
  readonly memory: RunMemory
  /** Writes the remaining journal entries. */
  close(): Promise<void>
}

interface RecordingContext {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly runs?: RunMemory | undefined
}

/** How long the end of the operator waits for the journal to be written. */
const closeTimeoutMs = 2_000

/** Without a journal when a hook watches ConfigMaps, because every journal write would run that hook. */
export function recordingOf(
  { journalNamespace: namespace }: Pick<ScriptsOptions, 'journalNamespace'>,
  hooks: readonly Pick<Hook, 'config'>[],
  { client, runtime, runs: memory = new RunMemory() }: RecordingContext,
): Recording {
  const watched = hooks.flatMap(({ config }) => config.kubernetes.map(({ kind }) => kind.toLowerCase()))
  const watchesConfigMaps = watched.some((kind) => ['configmap', 'configmaps', 'cm'].includes(kind))
  if (namespace === undefined || watchesConfigMaps)
    return { to: { recorder: new Recorder(runtime, { memory }) }, memory, close: () => Promise.resolve() }
  const background = new BackgroundQueue(runtime.clock)
  const closing = new AbortController()
  const journal = new Journal(client, runtime, { background, signal: closing.signal })
  const recorder = new Recorder(runtime, { memory, journal })
  const close = async () => {
    background.drain()
    const timer = runtime.clock.after(closeTimeoutMs, () => closing.abort())
    await recorder.close()
    timer.cancel()
  }
  return { to: { recorder, page: { surface: 'addons', namespace } }, memory, close }
}
