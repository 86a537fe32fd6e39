/**
 * The modules of undici that are used here: its index also loads fetch, web sockets, caches and mocks, which doubles the start time and takes
 * seven megabytes in every process.
 */
import { createRequire } from 'node:module'
import type * as Undici from 'undici'

const load = createRequire(import.meta.url)

const Dispatcher = load('undici/lib/dispatcher/dispatcher.js') as { readonly prototype: object }
// As the index of undici does: the request methods are in another module than the dispatchers.
Object.assign(Dispatcher.prototype, load('undici/lib/api/index.js'))

export const Agent = load('undici/lib/dispatcher/agent.js') as typeof Undici.Agent
export const ProxyAgent = load('undici/lib/dispatcher/proxy-agent.js') as typeof Undici.ProxyAgent
export const buildConnector = load('undici/lib/core/connect.js') as typeof Undici.buildConnector
