/** Binds a pod to a node, as the scheduler does. */
import { isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { type ApiObject, at, withField, withMetadata } from '../object.ts'
import { readObject } from '../rest/body.ts'
import { withRequestNamespace } from '../rest/create.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import type { ResourceRequest } from '../rest/request.ts'
import { updateObject } from '../rest/update.ts'
import { writeOptionsOf } from '../rest/write-options.ts'
import { badRequest, conflict } from '../status/status-error.ts'
import { timestamp } from '../timestamp.ts'
import { admitSubresource } from './admit-subresource.ts'

/** The deprecated form: a Binding object that names the pod. */
export async function bindByBody(request: ResourceRequest): Promise<HandlerResult> {
  const body = readObject(request.http.body, request.http.headers['content-type'], 'Binding')
  const pods = request.parts.registry.find('', 'v1', 'pods')
  const name = at(body, 'metadata', 'name')
  if (pods === undefined || typeof name !== 'string')
    throw badRequest('name in URL does not match name in Binding object')
  const subresource = pods.subresources.find((candidate) => candidate.name === 'binding')
  const info = { ...request.info, resource: 'pods', subresource: 'binding', name }
  return bind({ ...request, resource: pods, subresource, info })
}

export async function bind(request: ResourceRequest): Promise<HandlerResult> {
  const { resource, info, parts } = request
  const body = readObject(request.http.body, request.http.headers['content-type'], 'Binding')
  if (at(body, 'metadata', 'name') !== info.name) throw badRequest('name in URL does not match name in Binding object')
  const binding = { ...body, kind: 'Binding', apiVersion: 'v1' } as JsonObject as ApiObject
  const bound = await admitSubresource(request, {
    operation: 'CREATE',
    object: withRequestNamespace(request, binding),
    options: writeOptionsOf(request.query, 'CreateOptions'),
  })
  const node = at(bound, 'target', 'name')
  if (typeof node !== 'string' || node === '') throw badRequest('target.name: Required value')
  const now = parts.runtime.clock.now()
  await updateObject(request, {
    options: {},
    raw: true,
    wanted(pod) {
      const fail = (why: string): never => {
        throw conflict({ group: resource.group, resource: 'pods/binding' }, info.name, why)
      }
      if (pod.metadata.deletionTimestamp !== undefined)
        fail(`pod ${info.name} is being deleted, cannot be assigned to a host`)
      const assigned = at(pod, 'spec', 'nodeName')
      if (assigned) fail(`pod ${info.name} is already assigned to node ${JSON.stringify(assigned)}`)
      const gates = at(pod, 'spec', 'schedulingGates')
      if (Array.isArray(gates) && gates.length > 0) fail(`pod ${info.name} has non-empty .spec.schedulingGates`)
      return scheduled(pod, node, bound, timestamp(now))
    },
  })
  return {
    kind: 'document',
    code: 201,
    document: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}

function scheduled(pod: ApiObject, nodeName: string, binding: JsonObject, now: string): ApiObject {
  const spec = at(pod, 'spec')
  const status = at(pod, 'status')
  const conditions = at(status, 'conditions')
  const others = Array.isArray(conditions)
    ? (conditions as readonly JsonObject[]).filter((condition) => condition['type'] !== 'PodScheduled')
    : []
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  const annotations = {
    ...pod.metadata.annotations,
    ...(at(binding, 'metadata', 'annotations') as Record<string, string>),
  }
  const annotated = Object.keys(annotations).length === 0 ? pod : withMetadata(pod, { annotations })
  const placed = withField(annotated, 'spec', { ...(isJsonObject(spec) ? spec : {}), nodeName })
  return withField(placed, 'status', {
    ...(isJsonObject(status) ? status : {}),
    conditions: [...others, condition],
  })
}
