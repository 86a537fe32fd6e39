/**
 * One undici agent per endpoint, because an agent keeps the connections and the TLS options. The number of agents is bounded: endpoints come
 * from objects that users write, and each agent keeps sockets and certificates.
 */
import type { Dispatcher } from 'undici'
import type { HttpEndpoint } from '../http.ts'

const defaultMaxAgents = 100

export class HttpAgents {
  readonly #create: (endpoint: HttpEndpoint) => Dispatcher
  readonly #maxAgents: number
  /** Least recently used first. */
  readonly #agents = new Map<string, Dispatcher>()
  readonly #closing = new Set<Dispatcher>()

  constructor(create: (endpoint: HttpEndpoint) => Dispatcher, maxAgents = defaultMaxAgents) {
    this.#create = create
    this.#maxAgents = maxAgents
  }

  of(endpoint: HttpEndpoint): Dispatcher {
    const key = JSON.stringify(endpoint)
    const agent = this.#agents.get(key) ?? this.#create(endpoint)
    this.#agents.delete(key)
    this.#agents.set(key, agent)
    if (this.#agents.size > this.#maxAgents) this.#retireOldest()
    return agent
  }

  /** Aborts running requests. */
  async destroy(): Promise<void> {
    const open = [...this.#agents.values(), ...this.#closing]
    this.#agents.clear()
    await Promise.all(open.map((agent) => agent.destroy()))
  }

  /** Requests that run on the agent complete; it takes no new ones. */
  #retireOldest(): void {
    for (const [key, agent] of this.#agents) {
      this.#agents.delete(key)
      this.#closing.add(agent)
      void agent.close().finally(() => this.#closing.delete(agent))
      return
    }
  }
}
