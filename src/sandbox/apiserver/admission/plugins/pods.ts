/** Admission of new pods: the Priority and DefaultTolerationSeconds plug-ins. */
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/index.ts'
import { type ApiObject, at, withField } from '../../object.ts'
import { forbidden } from '../../status/status-error.ts'
import type { Collection } from '../../storage/collection.ts'
import type { Store } from '../../storage/store.ts'
import type { Attributes } from '../admission.ts'
import type { Plugin } from '../chain.ts'

function newPod({ operation, resource, subresource, object }: Attributes): JsonObject | undefined {
  if (operation !== 'CREATE' || resource.group !== '' || resource.resource !== 'pods') return undefined
  const spec = at(object, 'spec')
  return subresource === undefined && isJsonObject(spec) ? spec : undefined
}

/** Sets `priority` from `priorityClassName`, or from the global default class. */
export function priorities(store: Store): Plugin {
  const classes = store.collection({ group: 'scheduling.k8s.io', resource: 'priorityclasses' })
  return {
    mutate(attributes) {
      const spec = newPod(attributes)
      const { object, resource, name } = attributes
      if (spec === undefined || object === undefined) return
      const wanted = spec['priorityClassName']
      const chosen = typeof wanted === 'string' && wanted !== '' ? classes.get(wanted)?.object : defaultClass(classes)
      if (chosen === undefined && typeof wanted === 'string' && wanted !== '') {
        throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`)
      }
      const priority = Number(chosen?.['value'] ?? 0)
      if (typeof spec['priority'] === 'number' && spec['priority'] !== priority) {
        throw forbidden(
          resource,
          name,
          `the integer value of priority (${spec['priority']}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
        )
      }
      return withField(object, 'spec', {
        ...spec,
        priority,
        preemptionPolicy: spec['preemptionPolicy'] ?? chosen?.['preemptionPolicy'] ?? 'PreemptLowerPriority',
        ...(chosen === undefined ? {} : { priorityClassName: chosen.metadata.name }),
      })
    },
  }
}

function defaultClass(classes: Collection): ApiObject | undefined {
  for (const [, { object }] of classes.range('')) if (object['globalDefault'] === true) return object
  return undefined
}

/** Tolerates not-ready and unreachable nodes for five minutes, unless the pod has its own tolerations for them. */
export const defaultTolerations: Plugin = {
  mutate(attributes) {
    const spec = newPod(attributes)
    const { object } = attributes
    if (spec === undefined || object === undefined) return
    const present = (Array.isArray(spec['tolerations']) ? spec['tolerations'] : []) as readonly Json[]
    const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
      .filter((key) => !present.some((toleration) => tolerates(toleration, key)))
      .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
    if (added.length === 0) return
    return withField(object, 'spec', { ...spec, tolerations: [...present, ...added] })
  },
}

function tolerates(toleration: Json, key: string): boolean {
  const own = at(toleration, 'key') ?? ''
  const effect = at(toleration, 'effect') ?? ''
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '')
}
