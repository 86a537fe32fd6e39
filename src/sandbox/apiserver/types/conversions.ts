/**
 * Conversion of built-in kinds with several served forms: events of two groups and HorizontalPodAutoscalers of two
 * versions. They are stored in one form and converted on read and write.
 */
import { type Json, type JsonObject, objectOf } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'
import type { Conversion } from '../resource.ts'

function renamed(object: ApiObject, names: Readonly<Record<string, string>>, apiVersion: string): ApiObject {
  const result: Record<string, Json> = {}
  for (const [name, value] of Object.entries(object)) result[names[name] ?? name] = value
  return { ...result, apiVersion } as ApiObject
}

const eventNames: Readonly<Record<string, string>> = {
  note: 'message',
  regarding: 'involvedObject',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
}
const coreEventNames = Object.fromEntries(Object.entries(eventNames).map(([name, core]) => [core, name]))

const events: Conversion = {
  toStorage: async (object) => renamed(object, eventNames, 'v1'),
  fromStorage: async (objects) => objects.map((object) => renamed(object, coreEventNames, 'events.k8s.io/v1')),
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _removed, ...rest } = object
  return rest
}

function cpuMetric(utilization: Json): JsonObject {
  const target = { type: 'Utilization', averageUtilization: utilization }
  return { type: 'Resource', resource: { name: 'cpu', target } }
}

function utilizationOf(metrics: Json | undefined): Json | undefined {
  for (const metric of Array.isArray(metrics) ? (metrics as readonly Json[]) : []) {
    const resource = objectOf(objectOf(metric)['resource'])
    if (resource['name'] === 'cpu') return objectOf(resource['target'])['averageUtilization']
  }
  return undefined
}

/** autoscaling/v1 has only CPU utilization; other metrics are not visible in it. */
const autoscalers: Conversion = {
  toStorage: async (object) => {
    const spec = objectOf(object['spec'])
    const utilization = spec['targetCPUUtilizationPercentage']
    const metrics = utilization === undefined ? {} : { metrics: [cpuMetric(utilization)] }
    const status = without(objectOf(object['status']), 'currentCPUUtilizationPercentage')
    return {
      ...object,
      apiVersion: 'autoscaling/v2',
      spec: { ...without(spec, 'targetCPUUtilizationPercentage'), ...metrics },
      status,
    }
  },
  fromStorage: async (objects) =>
    objects.map((object) => {
      const spec = objectOf(object['spec'])
      const utilization = utilizationOf(spec['metrics'])
      const status = objectOf(object['status'])
      return {
        ...object,
        apiVersion: 'autoscaling/v1',
        spec: {
          ...without(without(spec, 'metrics'), 'behavior'),
          ...(utilization === undefined ? {} : { targetCPUUtilizationPercentage: utilization }),
        },
        status: without(without(status, 'currentMetrics'), 'conditions'),
      }
    }),
}

export function conversionOf(group: string, version: string, kind: string): Conversion | undefined {
  if (group === 'events.k8s.io' && kind === 'Event') return events
  if (group === 'autoscaling' && version === 'v1' && kind === 'HorizontalPodAutoscaler') return autoscalers
  return undefined
}
