/** An API server in virtual time with a client, for the tests of this folder. */
import type { HttpResponse } from '../../../runtime/http.ts'
import type { Json, JsonObject } from '../../../runtime/json.ts'
import { createSimulation, type Simulation } from '../../../runtime/simulated/index.ts'
import type { User } from '../authn/user.ts'
import { at } from '../object.ts'
import { ApiServer, type ApiServerOptions } from '../server.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body; an empty object when it is not JSON. */
  readonly body: JsonObject
  /** The value at a path of the body. */
  at(...path: readonly string[]): Json | undefined
}

export interface CallOptions {
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly user?: User
}

export const merge = 'application/merge-patch+json'
export const jsonPatch = 'application/json-patch+json'
export const strategic = 'application/strategic-merge-patch+json'

export class TestCluster {
  readonly simulation: Simulation
  readonly server: ApiServer
  #running = false

  constructor(options: ApiServerOptions = {}, seed = 1) {
    this.simulation = createSimulation(seed)
    this.server = new ApiServer(this.simulation.runtime, options)
  }

  /** Advances time until `main` settles; nested calls share its time. */
  async run<T>(main: () => Promise<T>): Promise<T> {
    if (this.#running) return main()
    this.#running = true
    try {
      return await this.simulation.run(main)
    } finally {
      this.#running = false
    }
  }

  /** Sends a request, as an administrator by default, and reads the whole response. */
  async call(method: string, target: string, body?: Json, options: CallOptions = {}): Promise<Reply> {
    const response = await this.open(method, target, body, options)
    return this.run(() => reply(response))
  }

  /** Returns the response without reading the body, for streams. */
  open(method: string, target: string, body?: Json, options: CallOptions = {}): Promise<HttpResponse> {
    const content =
      body === undefined
        ? {}
        : { body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) }
    const headers = { 'user-agent': 'test/1', 'content-type': options.type ?? 'application/json', ...options.headers }
    return this.run(() => this.server.as(options.user)({ method, target, headers, ...content }))
  }

  async get(target: string): Promise<Reply> {
    return this.call('GET', target)
  }

  async post(target: string, body: Json, options?: CallOptions): Promise<Reply> {
    return this.call('POST', target, body, options)
  }

  async patch(target: string, body: Json, type = merge): Promise<Reply> {
    return this.call('PATCH', target, body, { type })
  }
}

async function reply(response: HttpResponse): Promise<Reply> {
  const decoder = new TextDecoder()
  let text = ''
  if (response.body instanceof Uint8Array) text = decoder.decode(response.body)
  else for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true })
  const body = parsed(text)
  return { status: response.status, headers: response.headers, text, body, at: (...path) => at(body, ...path) }
}

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return {}
  }
}

/** The events of a watch that has ended, as `TYPE name`. */
export function eventsOf(reply: Reply): readonly string[] {
  return reply.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
    .map((event) =>
      `${String(event['type'])} ${String(at(event, 'object', 'metadata', 'name') ?? at(event, 'object', 'reason') ?? '')}`.trim(),
    )
}

export function podNamed(
  name: string,
  spec: JsonObject = {},
  labels: Readonly<Record<string, string>> = {},
): JsonObject {
  return { metadata: { name, labels }, spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec } }
}

export function deploymentNamed(name: string): JsonObject {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } }
  return { metadata: { name, labels }, spec: { replicas: 2, selector: { matchLabels: labels }, template } }
}
