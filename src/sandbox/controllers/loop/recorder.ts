/**
 * Events of controllers and nodes. They are told and forgotten: nobody waits for them, and one that cannot be written is lost.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { resources } from '../../../kube/types.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { timestamp } from '../../kinds/time.ts'
import type { Recorder } from './perform.ts'

export interface EventSource {
  readonly component: string
  readonly host?: string
}

export function createRecorder(client: KubeClient, runtime: Runtime, source: EventSource): Recorder {
  const events = client.of(resources.coreEvents)
  return ({ about, severity, reason, message }) => {
    const { name, namespace = 'default', uid, resourceVersion } = about.metadata
    const time = timestamp(runtime.clock.now())
    const id = `${name}.${runtime.random.uuid().replaceAll('-', '').slice(0, 16)}`
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: id, namespace },
      ...{
        involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid, resourceVersion },
        reason,
        message,
        source,
        reportingComponent: source.component,
        reportingInstance: source.host ?? '',
        type: severity,
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
      },
    }
    events.create(object).catch((error: unknown) => runtime.log.debug('event not recorded', { name, reason, error }))
  }
}
