/**
 * Chooses where runs of script hooks and modules are recorded: always in the memory of the operator, in the journal and in events where
 * they cannot trigger hooks.
 */
import { Journal, Recorder, RunMemory } from '../../hooks/index.ts'
import {
  BackgroundQueue,
  createEventRecorder,
  type EventRecorder,
  isAllowed,
  type KubeClient,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import type { Hook } from './hook.ts'
import type { ScriptsOptions } from './options.ts'

export interface Recording {
  readonly recorder: Recorder
  readonly memory: RunMemory
  /** Writes the remaining journal entries. */
  close(): Promise<void>
}

interface RecordingContext {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly runs?: RunMemory | undefined
}

type RecordingOptions = Pick<ScriptsOptions, 'journalNamespace' | 'pod'>

/** How long the end of the operator waits for the journal to be written. */
const closeTimeoutMs = 2_000

/**
 * Without a journal when a hook watches ConfigMaps, and without events when a hook watches Events, because every write would run that
 * hook.
 */
export function recordingOf(
  { journalNamespace: namespace, pod }: RecordingOptions,
  hooks: readonly Pick<Hook, 'config'>[],
  { client, runtime, runs: memory = new RunMemory() }: RecordingContext,
): Recording {
  const watched = new Set(hooks.flatMap(({ config }) => config.kubernetes.map(({ kind }) => kind.toLowerCase())))
  const watches = (...names: readonly string[]) => names.some((name) => watched.has(name))
  const background = new BackgroundQueue(runtime.clock)
  const closing = new AbortController()
  const { signal } = closing
  const isJournaled = namespace !== undefined && !watches('configmap', 'configmaps', 'cm')
  const recorder = new Recorder(runtime, {
    memory,
    ...(isJournaled
      ? { journal: new Journal(client, runtime, { background, signal }), page: { surface: 'addons', namespace } }
      : {}),
    ...(pod === undefined || watches('event', 'events', 'ev')
      ? {}
      : { failures: { events: allowedEvents(client, runtime, pod.namespace, signal), regarding: podOf(pod) } }),
  })
  const close = async () => {
    background.drain()
    const timer = runtime.clock.after(closeTimeoutMs, () => closing.abort())
    await recorder.close()
    timer.cancel()
    closing.abort()
  }
  return { recorder, memory, close }
}

function podOf({ name, namespace }: NonNullable<RecordingOptions['pod']>) {
  return { apiVersion: 'v1', kind: 'Pod', name, namespace }
}

/** Service accounts of script hooks often may not create events; the right is checked once, before the first event. */
function allowedEvents(
  client: KubeClient,
  runtime: Runtime,
  namespace: string,
  signal: AbortSignal,
): Pick<EventRecorder, 'record'> {
  const events = createEventRecorder(client.of(resources.events), runtime, {
    controller: 'carabiner.dev/scripts',
    instance: 'carabiner',
    signal,
  })
  let allowed: Promise<boolean> | undefined
  return {
    record: (about, event) => {
      allowed ??= isAllowed(client, {
        ...{ verb: 'create', group: 'events.k8s.io', resource: 'events', namespace },
      }).catch(() => false)
      void allowed.then((isAllowedHere) => {
        if (isAllowedHere) events.record(about, event)
      })
    },
  }
}
