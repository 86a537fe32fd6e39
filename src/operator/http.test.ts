import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../runtime/http.ts'
import { createSimulation } from '../runtime/simulated/index.ts'
import { operatorHandler } from './http.ts'

const text = ({ body }: HttpResponse) => new TextDecoder().decode(body as Uint8Array)

describe('the operator over HTTP', () => {
  let waiting: string | undefined = 'leadership'
  const { runtime } = createSimulation(1)
  const answers = operatorHandler({
    health: { waitingFor: () => waiting },
    metrics: runtime.metrics,
    surfaces: new Map([
      ['addons', async () => ({ status: 200, headers: {}, body: new TextEncoder().encode('of the surface') })],
    ]),
    routes: new Map([
      ['/queue', async () => ({ status: 200, headers: {}, body: new TextEncoder().encode('the queue') })],
    ]),
    moreMetrics: () => 'orders_total 3\n',
  })
  const get = (target: string, method = 'GET') => answers({ method, target, headers: {} })

  it('/healthz answers 200 before /readyz does, and /readyz names what is missing', async () => {
    expect((await get('/healthz')).status).toBe(200)
    const notYet = await get('/readyz')
    expect([notYet.status, text(notYet)]).toEqual([503, 'waiting for leadership\n'])
    waiting = undefined
    expect((await get('/readyz?verbose')).status).toBe(200)
  })

  it('/metrics contains the metrics that surfaces add', async () => {
    runtime.metrics.counter({ name: 'runs_total', help: 'Runs.' }).add(2)
    expect(text(await get('/metrics'))).toMatch(/runs_total 2\n[\s\S]*orders_total 3\n$/)
  })

  it('a surface answers requests below its name', async () => {
    expect(text(await get('/addons/queue', 'POST'))).toBe('of the surface')
  })

  it('[addons O5] /discovery lists all paths, and a surface answers at the paths it registers', async () => {
    expect(text(await get('/queue'))).toBe('the queue')
    expect(text(await get('/discovery'))).toBe(
      ['/discovery', '/healthz', '/metrics', '/queue', '/readyz'].map((path) => `GET ${path}\n`).join(''),
    )
  })

  it('requests to a surface from another machine are refused', async () => {
    const from = (address: string) =>
      answers({ method: 'GET', target: '/addons/queue', headers: {}, peer: { address } })
    expect([(await from('10.0.0.7')).status, (await from('127.0.0.1')).status]).toEqual([403, 200])
    expect((await from('::ffff:127.0.0.1')).status).toBe(200)
  })

  it('unknown paths and other methods are refused', async () => {
    expect((await get('/nowhere')).status).toBe(404)
    expect((await get('/healthz', 'DELETE')).status).toBe(405)
  })
})
