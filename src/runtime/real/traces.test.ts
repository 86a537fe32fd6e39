import { afterEach, describe, expect, it } from 'vitest'
import { createRealTraces, hasTraceSdk, startTraceExporter } from './traces.ts'

const registered = Symbol.for('opentelemetry.js.api.1')
afterEach(() => void Reflect.deleteProperty(globalThis, registered))

/** Registers a fake SDK at the global symbol. */
function listen(): string[] {
  const heard: string[] = []
  const span = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
    isRecording: () => true,
    setAttributes: (attributes: object) => heard.push(JSON.stringify(attributes)),
    recordException: (error: Error) => heard.push(error.message),
    setStatus: ({ code }: { code: number }) => heard.push(`status ${code}`),
    end: () => heard.push('end'),
  }
  const startActiveSpan = (name: string, work: (given: typeof span) => unknown) => {
    heard.push(name)
    return work(span)
  }
  const trace = { getTracer: () => ({ startActiveSpan }) }
  Reflect.set(globalThis, registered, { version: '1.0.0', trace })
  return heard
}

describe('traces', () => {
  it('are not recorded and have no traceparent without an SDK', async () => {
    expect(await createRealTraces().span('work', async (span) => span.traceparent)).toBeUndefined()
  })

  it('go to the registered SDK with the result of the work', async () => {
    expect(hasTraceSdk()).toBe(false)
    const heard = listen()
    expect(hasTraceSdk()).toBe(true)
    const traces = createRealTraces()
    const parent = await traces.span('one', async (span) => {
      span.set({ key: 'shop/web' })
      return span.traceparent
    })
    expect(parent).toBe(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`)
    await expect(traces.span('two', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(heard).toEqual(['one', '{"key":"shop/web"}', 'end', 'two', 'lost', 'status 2', 'end'])
  })

  it('name the packages to install when the exporter is missing', async () => {
    const missing = () => Promise.reject(new Error('Cannot find package'))
    await expect(startTraceExporter('http://127.0.0.1:4318/v1/traces', missing)).rejects.toMatchObject({
      code: 'CRB_TRACE_EXPORTER_MISSING',
      remedy: expect.stringContaining(
        'npm install @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http',
      ),
    })
  })
})
