/** Applies a fault plan in front of any `HttpHandler`: a server in the same process, a simulated listener or a real one. */
import type { Clock } from '../clock.ts'
import { ConnectionError, type HttpBody, type HttpHandler, type HttpRequest, type HttpResponse } from '../http.ts'
import { largest } from '../lists.ts'
import type { Fault, FaultPlan, RequestMatch } from './fault-plan.ts'

/** What faults need from their environment; a `Simulation` implements it. */
export interface FaultWorld {
  readonly clock: Pick<Clock, 'sleep'>
  /** Halts the domain with this name. */
  halt(domain: string): void
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

export function withFaults(handler: HttpHandler, plan: FaultPlan, world: FaultWorld): HttpHandler {
  return createFaults(plan, world)(handler)
}

/** Several handlers share one plan and its counters. */
export function createFaults(plan: FaultPlan, world: FaultWorld): (handler: HttpHandler) => HttpHandler {
  const faults = new Faults(plan, world)
  return (handler) => (request) => faults.handle(request, handler)
}

class Faults {
  readonly #plan: FaultPlan
  readonly #world: FaultWorld
  readonly #hits = new Map<Fault, number>()
  readonly #answers = new Map<string, HttpResponse[]>()
  #writes = 0

  constructor(plan: FaultPlan, world: FaultWorld) {
    this.#plan = plan
    this.#world = world
  }

  async handle(request: HttpRequest, handler: HttpHandler): Promise<HttpResponse> {
    const hit = this.#plan.filter((fault) => this.#applies(fault, request))
    const stop = this.#stopAt(request)
    if (stop?.when === 'before') return this.#stop(stop.domain)
    for (const fault of hit)
      if (fault.kind === 'delay') await this.#world.clock.sleep(fault.milliseconds, request.signal)
    const answer = hit.find((fault) => fault.kind === 'answer')
    let response = answer?.kind === 'answer' ? answerOf(answer) : await handler(request)
    if (stop?.when === 'after') return this.#stop(stop.domain)
    response = this.#maybeStale(request, response, hit)
    for (const fault of hit) {
      if (fault.kind === 'delay') response = this.#delayed(response, fault.milliseconds, request.signal)
      if (fault.kind === 'drop') response = dropped(response, fault.afterBytes)
    }
    return response
  }

  #applies(fault: Fault, request: HttpRequest): boolean {
    if (fault.kind === 'stop' || !matches(fault.match, request)) return false
    const number = (this.#hits.get(fault) ?? 0) + 1
    this.#hits.set(fault, number)
    const { from = 1, count = 1 } = fault.match
    return number >= from && number < from + count
  }

  #stopAt(request: HttpRequest): Extract<Fault, { kind: 'stop' }> | undefined {
    if (!writes.has(request.method)) return undefined
    this.#writes++
    for (const fault of this.#plan) if (fault.kind === 'stop' && fault.write === this.#writes) return fault
    return undefined
  }

  #stop(domain: string): Promise<never> {
    this.#world.halt(domain)
    // The caller is halted or sees its connection break.
    return new Promise(() => undefined)
  }

  /** Keeps complete responses for `stale` faults and repeats them. */
  #maybeStale(request: HttpRequest, response: HttpResponse, hit: readonly Fault[]): HttpResponse {
    const depth = Math.max(
      0,
      largest(this.#plan.map((fault) => (fault.kind === 'stale' && matches(fault.match, request) ? fault.back : 0))),
    )
    const [path = '', query = ''] = request.target.split('?')
    const repeatable = response.status === 200 && response.body instanceof Uint8Array && !query.includes('continue=')
    if (depth === 0 || !repeatable) return response
    const known = this.#answers.get(path) ?? []
    known.push(response)
    if (known.length > depth + 1) known.shift()
    this.#answers.set(path, known)
    const stale = hit.find((fault) => fault.kind === 'stale')
    if (stale?.kind !== 'stale') return response
    return known[Math.max(0, known.length - 1 - stale.back)] ?? response
  }

  #delayed(response: HttpResponse, milliseconds: number, signal: AbortSignal | undefined): HttpResponse {
    const { body } = response
    if (body instanceof Uint8Array) return response
    const { clock } = this.#world
    const late = async function* (): HttpBody {
      for await (const chunk of body) {
        await clock.sleep(milliseconds, signal)
        yield chunk
      }
    }
    return { ...response, body: late() }
  }
}

function matches(match: RequestMatch, request: HttpRequest): boolean {
  if (match.method !== undefined && match.method !== request.method) return false
  return match.contains === undefined || request.target.includes(match.contains)
}

function answerOf({ status, headers, body }: Extract<Fault, { kind: 'answer' }>): HttpResponse {
  const reason = reasons[status] ?? 'Unknown'
  const text =
    body ?? JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code: status })
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: new TextEncoder().encode(text) }
}

function dropped(response: HttpResponse, afterBytes: number): HttpResponse {
  const reset = (): ConnectionError => new ConnectionError('ECONNRESET', `connection reset after ${afterBytes} bytes`)
  if (afterBytes === 0) throw reset()
  const { body, headers } = response
  const cut = async function* (): HttpBody {
    let left = afterBytes
    const parts = body instanceof Uint8Array ? [body] : body
    for await (const chunk of parts) {
      if (left > 0) yield chunk.subarray(0, left)
      left -= chunk.byteLength
      if (left <= 0) break
    }
    throw reset()
  }
  const { 'content-length': _, ...others } = headers
  return { ...response, headers: others, body: cut() }
}
