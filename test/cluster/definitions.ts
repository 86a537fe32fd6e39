/** Definitions of custom resources. An established definition is published and served with a delay. */
import { pollUntil } from './poll-until.ts'
import type { Cluster } from './suite.ts'
import { conditionOf } from './workloads.ts'

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Resolves when every version is discovered and served. */
export async function untilServed(cluster: Cluster, definition: string): Promise<void> {
  const found = await cluster.until(
    `${definitions}/${definition}`,
    (one) => conditionOf(one, 'Established')?.status === 'True',
  )
  const spec = found.spec as unknown as {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly { readonly name: string }[]
  }
  for (const { name } of spec.versions) {
    const path = `/apis/${spec.group}/${name}`
    await pollUntil(
      `${path} in discovery`,
      () => cluster.call('GET', path),
      ({ body }) => {
        const { resources = [] } = body as { resources?: readonly { readonly name: string }[] }
        return resources.some((resource) => resource.name === spec.names.plural)
      },
    )
    await pollUntil(
      `${spec.names.plural} of ${path}`,
      () => cluster.call('GET', `${path}/${spec.names.plural}`),
      ({ status }) => status === 200,
    )
  }
}
