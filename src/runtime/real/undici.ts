/**
 * What we use of undici, part by part: the whole of it also loads fetch, web sockets, caches and mocks, which doubles the time to start and
 * costs every process seven megabytes for good.
 */
import { createRequire } from 'node:module'
import type * as Undici from 'undici'

const load = createRequire(import.meta.url)

const Dispatcher = load('undici/lib/dispatcher/dispatcher.js') as { readonly prototype: object }
// As its own index does: the verbs of dispatchers are kept apart from them.
Object.assign(Dispatcher.prototype, load('undici/lib/api/index.js'))

export const Agent = load('undici/lib/dispatcher/agent.js') as typeof Undici.Agent
export const ProxyAgent = load('undici/lib/dispatcher/proxy-agent.js') as typeof Undici.ProxyAgent
export const buildConnector = load('undici/lib/core/connect.js') as typeof Undici.buildConnector
