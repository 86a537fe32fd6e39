/** Engines that are told to stop, or were killed before, leave nothing behind, whatever they were waiting for. */
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../src/runtime/http.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { scenarios } from './rollout-scenarios.ts'
import { playScenario, restOf } from './rollout-world.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const [scenario] = scenarios
if (scenario === undefined) throw new Error('there are no scenarios')

/** A server that never answers some of the requests. */
const deafTo =
  (unanswered: RegExp) =>
  (server: HttpHandler): HttpHandler =>
  (request) =>
    request.method !== 'GET' && unanswered.test(request.target) ? new Promise(() => undefined) : server(request)

const limit = 120_000

describe('an engine that stops', () => {
  it(
    'does not wait for a journal that is never answered',
    async () => {
      const rest = await restOf(scenario, 'policy', 1001)
      const { ending } = await playScenario(scenario, 1, { rest, between: deafTo(/\/configmaps\b/) })
      expect(ending.rollout?.phase).toBe('Complete')
    },
    limit,
  )

  it(
    'does not wait for events that are never answered',
    async () => {
      const rest = await restOf(scenario, 'policy', 1001)
      const { ending } = await playScenario(scenario, 1, { rest, between: deafTo(/\/events\b/) })
      expect(ending.rollout?.phase).toBe('Complete')
    },
    limit,
  )

  it(
    'leaves no world behind, nor does one that is killed',
    async () => {
      const rest = await restOf(scenario, 'policy', 1001)
      for (const how of ['restart', 'deaf'] as const) {
        const crashes = [{ when: 'after', write: 8, how } as const]
        // One of them waits to try an event again when it is killed, the other one when it is told to stop.
        await playScenario(scenario, 1, { rest, crashes, between: refusing(/\/events\b/) })
      }
      collectGarbage()
      expect(queryObjects(ApiServer, { format: 'count' })).toBe(0)
    },
    limit,
  )
})

const refusing =
  (refused: RegExp) =>
  (server: HttpHandler): HttpHandler =>
  async (request) =>
    refused.test(request.target) ? { status: 503, headers: {}, body: new Uint8Array() } : server(request)
