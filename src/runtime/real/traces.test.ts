import { describe, expect, it } from 'vitest'
import { createRealTraces, startTraceExporter } from './traces.ts'

describe('traces', () => {
  it('record nothing, and so name no parent, without an exporter', async () => {
    expect(await createRealTraces().span('work', async (span) => span.traceparent)).toBeUndefined()
  })

  it('say what to install when the exporter is not there', async () => {
    await expect(startTraceExporter('http://127.0.0.1:4318/v1/traces')).rejects.toMatchObject({
      code: 'CRB_TRACE_EXPORTER_MISSING',
      remedy: expect.stringContaining(
        'npm install @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http',
      ),
    })
  })
})
