import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { exportTraces, traceEndpoint } from './traces.ts'

describe('traces of the operator', () => {
  it('go where the variables of OpenTelemetry say', () => {
    const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }
    expect(traceEndpoint({})).toBeUndefined()
    expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined()
    expect(traceEndpoint(common)).toBe('http://collector:4318/v1/traces')
    expect(traceEndpoint({ ...common, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/x' })).toBe('http://other/x')
    expect(traceEndpoint({ ...common, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  })

  it('are missed with a warning where the packages are not installed', async () => {
    const simulation = createSimulation(1)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    const stop = await exportTraces({ ...simulation.runtime, env })
    await stop()
    expect(simulation.logs.map(({ level, message, fields }) => [level, message, fields?.['error']])).toEqual([
      ['warn', 'traces are not sent', expect.objectContaining({ code: 'CRB_TRACE_EXPORTER_MISSING' })],
    ])
  })
})
