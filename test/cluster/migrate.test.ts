/** The output of `migrate deploymentconfig` is accepted by API servers unchanged. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { convert } from '../../src/cli/migrate/deploymentconfig/convert.ts'
import type { DeploymentConfig } from '../../src/cli/migrate/deploymentconfig/types.ts'
import { parseManifests } from '../../src/kube/manifest/index.ts'
import { definePolicies } from './gate.ts'
import { onCluster } from './suite.ts'

const file = new URL('./deploymentconfigs.yaml', import.meta.url)
const configs = parseManifests(readFileSync(file, 'utf8'), 'deploymentconfigs.yaml') as DeploymentConfig[]

onCluster('converted DeploymentConfigs', (cluster) => {
  beforeAll(() => definePolicies(cluster))

  it.each(configs.map((config) => ({ name: config.metadata.name, config })))(
    'is accepted unchanged: $name',
    async ({ config }) => {
      const namespace = await cluster.namespace()
      for (const object of convert(config).objects) {
        const plural = object.kind === 'Deployment' ? 'deployments' : 'rolloutpolicies'
        const path = `/apis/${object.apiVersion}/namespaces/${namespace}/${plural}?fieldValidation=Strict`
        const { status, body } = await cluster.call('POST', path, { body: object })
        expect([body.message, status]).toEqual([undefined, 201])
      }
    },
  )
})
