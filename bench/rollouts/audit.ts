/**
 * The audit log of the API server: every request of the operator with its times, and the status writes with which hooks of the measured
 * namespace end. Times are those of the server, independent of our clocks and of proxies.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The namespaces whose ends of hooks are logged. */
export const measuredNamespaces = { Job: 'measured-jobs', execNewPod: 'measured-pods' } as const

export interface Call {
  readonly verb: string
  readonly user: string
  /** Path and query. */
  readonly uri: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  readonly namespace: string
  readonly code: number
  /** Milliseconds, with a fraction. */
  readonly receivedAt: number
  readonly answeredAt: number
  readonly body: unknown
}

interface AuditEvent {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly requestURI: string
  readonly objectRef?: { resource?: string; subresource?: string; name?: string; namespace?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly requestObject?: unknown
}

export function auditPolicy(operator: string): object {
  const ends = [
    { group: 'batch', resources: ['jobs/status'] },
    { group: '', resources: ['pods/status'] },
  ]
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [
      { level: 'Metadata', users: [operator] },
      { level: 'Request', namespaces: Object.values(measuredNamespaces), resources: ends },
      { level: 'None' },
    ],
  }
}

export class AuditLog {
  readonly #path: string
  #read = 0
  #rest = ''

  constructor(path: string) {
    this.#path = path
  }

  /** The entries since the last call. */
  take(): readonly Call[] {
    const file = openSync(this.#path, 'r')
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.alloc(size - this.#read)
      readSync(file, bytes, 0, bytes.length, this.#read)
      this.#read = size
      const lines = (this.#rest + bytes.toString()).split('\n')
      this.#rest = lines.pop() ?? ''
      return lines.map((line) => callOf(JSON.parse(line) as AuditEvent))
    } finally {
      closeSync(file)
    }
  }
}

function callOf(event: AuditEvent): Call {
  const { resource = '', subresource = '', name = '', namespace = '' } = event.objectRef ?? {}
  return {
    verb: event.verb,
    user: event.user.username,
    uri: event.requestURI,
    resource,
    subresource,
    name,
    namespace,
    code: event.responseStatus?.code ?? 0,
    receivedAt: instantOf(event.requestReceivedTimestamp),
    answeredAt: instantOf(event.stageTimestamp),
    body: event.requestObject,
  }
}

/** Microseconds count here, and `Date.parse` drops them. */
function instantOf(text: string): number {
  const micros = Number(/\.(\d{1,6})/.exec(text)?.[1]?.padEnd(6, '0') ?? 0)
  return Date.parse(text.replace(/\.\d+/, '')) + micros / 1000
}

export function isWrite({ verb, resource }: Call): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'events' && resource !== 'leases'
}

/** How many requests repeat an earlier one. */
export function repeatedReads(calls: readonly Call[]): number {
  const reads = calls.filter(({ verb, resource }) => ['get', 'list'].includes(verb) && resource !== 'leases')
  return reads.length - new Set(reads.map(({ uri }) => uri)).size
}
