/**
 * The work of an API server, measured in megabytes that it allocated. On a shared machine CPU seconds vary from hour to hour; this figure varies by
 * one percent.
 */
import type { BenchCluster } from './cluster.ts'

/** Since it was started. */
export async function allocatedBy({ client }: Pick<BenchCluster, 'client'>): Promise<number> {
  const metrics = String(await client.raw('GET', '/metrics'))
  const bytes = /^go_memstats_alloc_bytes_total (\S+)$/m.exec(metrics)?.[1]
  if (bytes === undefined) throw new Error('the API server does not tell what it allocated')
  return Number(bytes) / 1e6
}
