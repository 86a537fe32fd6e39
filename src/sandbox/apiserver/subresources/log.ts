/** The log of a container, which the API server requests from the node. */
import { type HttpBody, isJsonObject, type Json } from '../../../runtime/index.ts'
import { type ApiObject, at } from '../object.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { collectionOf, keyOf, type ResourceRequest } from '../rest/request.ts'
import { badRequest, notFound, type StatusError } from '../status/status-error.ts'

export interface PodLogRequest {
  readonly namespace: string
  readonly pod: string
  readonly uid: string
  readonly node: string
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly sinceTime?: string
  readonly limitBytes?: number
  readonly signal?: AbortSignal
}

/** Provided by the nodes; undefined when there is no log of that container. */
export type PodLogs = (request: PodLogRequest) => Promise<Uint8Array | HttpBody | undefined>

export async function readLog(request: ResourceRequest, podLogs: PodLogs | undefined): Promise<HandlerResult> {
  const { resource, info, query, http } = request
  const pod = collectionOf(request).get(keyOf(resource, info.namespace, info.name))?.object
  if (pod === undefined) throw notFound(resource, info.name)
  const container = containerOf(pod, query.get('container') ?? '')
  const node = at(pod, 'spec', 'nodeName')
  if (typeof node !== 'string' || node === '') return logResult(new Uint8Array())
  const body = await podLogs?.({
    namespace: info.namespace,
    pod: info.name,
    uid: pod.metadata.uid ?? '',
    node,
    container,
    follow: query.get('follow') === 'true',
    previous: query.get('previous') === 'true',
    timestamps: query.get('timestamps') === 'true',
    ...numbers(query, 'tailLines', 'sinceSeconds', 'limitBytes'),
    ...(query.has('sinceTime') ? { sinceTime: query.get('sinceTime') ?? '' } : {}),
    ...(http.signal === undefined ? {} : { signal: http.signal }),
  })
  if (body === undefined) throw waiting(pod, container)
  return logResult(body)
}

function logResult(body: Uint8Array | HttpBody): HandlerResult {
  return { kind: 'response', response: { status: 200, headers: { 'content-type': 'text/plain' }, body } }
}

function containerOf(pod: ApiObject, wanted: string): string {
  const { name } = pod.metadata
  const main = namesOf(at(pod, 'spec', 'containers'))
  const init = namesOf(at(pod, 'spec', 'initContainers'))
  if (wanted !== '') {
    if ([...main, ...init].includes(wanted)) return wanted
    throw badRequest(`container ${wanted} is not valid for pod ${name}`)
  }
  const preferred = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container']
  if (preferred !== undefined && main.includes(preferred)) return preferred
  const [only, ...others] = main
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`)
  if (others.length === 0 && init.length === 0) return only
  const inits = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${main.join(' ')}]${inits}`)
}

function namesOf(containers: Json | undefined): readonly string[] {
  if (!Array.isArray(containers)) return []
  return (containers as readonly Json[]).filter(isJsonObject).map(({ name }) => String(name))
}

function numbers(query: URLSearchParams, ...names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const name of names) {
    const value = query.get(name)
    if (value === null || value === '') continue
    if (!/^\d+$/.test(value))
      throw badRequest(`${name}: Invalid value: ${JSON.stringify(value)}: must be greater than or equal to 0`)
    found[name] = Number(value)
  }
  return found
}

function waiting(pod: ApiObject, container: string): StatusError {
  const statuses = at(pod, 'status', 'containerStatuses')
  const status = Array.isArray(statuses)
    ? (statuses as readonly Json[]).find((candidate) => at(candidate, 'name') === container)
    : undefined
  const reason = at(status, 'state', 'waiting', 'reason') ?? 'ContainerCreating'
  return badRequest(
    `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)} is waiting to start: ${String(reason)}`,
  )
}
