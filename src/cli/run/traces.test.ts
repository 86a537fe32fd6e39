import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../../runtime/errors.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { exportTraces, traceEndpoint } from './traces.ts'

describe('traces of the operator', () => {
  it('are sent to the endpoint of the OpenTelemetry variables', () => {
    const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }
    expect(traceEndpoint({})).toBeUndefined()
    expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined()
    expect(traceEndpoint(common)).toBe('http://collector:4318/v1/traces')
    expect(traceEndpoint({ ...common, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/x' })).toBe('http://other/x')
    expect(traceEndpoint({ ...common, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  })

  it('are flushed at shutdown within one second', async () => {
    const simulation = createSimulation(1)
    const { runtime } = simulation
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    const ending = (end: () => Promise<void>) =>
      simulation.run(async () => {
        const stop = await exportTraces({ ...runtime, env }, async () => end)
        const since = runtime.clock.monotonic()
        return { isDone: await stop(), after: runtime.clock.monotonic() - since }
      })
    expect(await ending(() => runtime.clock.sleep(400))).toEqual({ isDone: true, after: 400 })
    expect(simulation.logs).toEqual([])
    expect(await ending(() => new Promise(() => {}))).toEqual({ isDone: false, after: 1000 })
    expect(simulation.logs.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'the last traces were not sent before the timeout'],
    ])
  })

  it('are off with a warning when the packages are not installed', async () => {
    const simulation = createSimulation(1)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    const missing = new CarabinerError('CRB_TRACE_EXPORTER_MISSING', 'cannot export traces')
    const stop = await exportTraces({ ...simulation.runtime, env }, () => Promise.reject(missing))
    expect(await stop()).toBe(true)
    expect(simulation.logs.map(({ level, message, fields }) => [level, message, fields?.['error']])).toEqual([
      ['warn', 'traces are not sent', expect.objectContaining({ code: 'CRB_TRACE_EXPORTER_MISSING' })],
    ])
  })
})
