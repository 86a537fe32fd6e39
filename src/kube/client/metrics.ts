/** Metrics of requests: response codes and durations, without the wait for the rate limit. */
import type { Clock, Metrics } from '../../runtime/index.ts'

export interface RequestMetrics {
  /** Measures the request that `begin` sends and returns its response. */
  observe<T extends { readonly status: number }>(method: string, begin: () => Promise<T>): Promise<T>
}

const buckets = [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30]

export function requestMetrics(metrics: Metrics, clock: Clock): RequestMetrics {
  const answers = metrics.counter({
    name: 'carabiner_client_requests_total',
    help: 'Requests to API servers, by the code of the response, or "none".',
    labels: ['method', 'code'],
  })
  const durations = metrics.histogram({
    name: 'carabiner_client_request_duration_seconds',
    help: 'How long responses took; for watches and logs until the headers arrived.',
    labels: ['method'],
    buckets,
  })
  return {
    async observe(method, begin) {
      const start = clock.monotonic()
      let code = 'none'
      try {
        const answer = await begin()
        code = String(answer.status)
        return answer
      } finally {
        answers.add(1, { method, code })
        durations.observe((clock.monotonic() - start) / 1000, { method })
      }
    },
  }
}
