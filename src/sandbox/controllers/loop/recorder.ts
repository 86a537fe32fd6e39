/** Records events of controllers and nodes without waiting for the write. */
import { createEventRecorder, type KubeClient } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { Recorder } from './perform.ts'
import type { Shutdown } from './shutdown.ts'

export interface EventSource {
  readonly component: string
  /** The node, for events of its kubelet. */
  readonly host?: string
}

export function createRecorder(
  client: KubeClient,
  runtime: Runtime,
  shutdown: Shutdown,
  source: EventSource,
): Recorder {
  const recorder = createEventRecorder(client.of(resources.events), runtime, {
    controller: source.component,
    instance: source.host ?? source.component,
    signal: shutdown.signal,
  })
  return ({ about, severity, reason, message }) => recorder.record(about, { type: severity, reason, note: message })
}
