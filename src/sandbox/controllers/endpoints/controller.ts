/** The reconcile loop of the EndpointSlice controller: one slice per Service. */
import { isNamespaceEnding } from '../../../kube/index.ts'
import { type EndpointSlice, type Pod, resources, type Service } from '../../../kube/kinds/index.ts'
import { semanticallyEqual } from '../../kinds/canonical.ts'
import { includesLabels } from '../../kinds/selector.ts'
import { type Controller, type ControllerContext, debounced, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { decideEndpoints } from './decide.ts'

export function endpointSliceController({ client, informers }: ControllerContext): Controller {
  const services = informers.of<Service>(resources.services)
  const pods = informers.of<Pod>(resources.pods)
  const slices = informers.of<EndpointSlice>(resources.endpointSlices)
  const creating = new Map<string, string>()

  return {
    name: 'endpointslice-controller',
    watch(enqueue) {
      const enqueueDebounced = debounced(enqueue)
      enqueueAll(services, enqueue)
      pods.subscribe((change) => {
        const pod = change.type === 'deleted' ? change.previous : change.value
        for (const { metadata, spec } of services.by(indexNames.namespace, pod.metadata.namespace ?? '')) {
          if (spec?.selector !== undefined && includesLabels(pod.metadata.labels, spec.selector)) {
            enqueueDebounced(`${metadata.namespace}/${metadata.name}`)
          }
        }
      })
    },
    async sync(key) {
      const service = services.get(key)
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) {
        creating.delete(key)
        return undefined
      }
      const { namespace = '' } = service.metadata
      const selected = pods
        .by(indexNames.namespace, namespace)
        .filter(({ metadata }) => includesLabels(metadata.labels, service.spec?.selector))
      const wanted = decideEndpoints(service, selected)
      if (wanted === undefined) return undefined
      const handle = client.of<EndpointSlice>(resources.endpointSlices)
      const createdFor = creating.get(key)
      const present = slices.by(indexNames.controller, service.metadata.uid ?? '')[0]
      // A slice just created may not be in the cache yet; creating again would leave a duplicate.
      if (present === undefined && createdFor === service.metadata.uid) return { retry: true }
      if (present === undefined) {
        creating.set(key, service.metadata.uid ?? '')
        try {
          await handle.create(wanted)
        } catch (error) {
          creating.delete(key)
          if (!isNamespaceEnding(error)) throw error
        }
        return undefined
      }
      creating.delete(key)
      if (!semanticallyEqual([present.endpoints, present.ports], [wanted.endpoints, wanted.ports])) {
        await handle.update({ ...present, endpoints: wanted.endpoints, ports: wanted.ports ?? [] })
      }
      return undefined
    },
  }
}
