/** What `migrate deploymentconfig` writes is accepted by API servers to the letter, and the hooks of it run. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { convert } from '../../src/cli/migrate/deploymentconfig/convert.ts'
import type { DeploymentConfig } from '../../src/cli/migrate/deploymentconfig/types.ts'
import { parseManifests } from '../../src/kube/manifest/index.ts'
import { rolloutPolicyDefinition } from '../../src/rollouts/policy/definition.ts'
import { onCluster } from './suite.ts'
import { conditionOf } from './workloads.ts'

const file = new URL('./deploymentconfigs.yaml', import.meta.url)
const configs = parseManifests(readFileSync(file, 'utf8'), 'deploymentconfigs.yaml') as DeploymentConfig[]
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

onCluster('converted DeploymentConfigs', (cluster) => {
  beforeAll(async () => {
    const apply = { headers: { 'content-type': 'application/apply-patch+yaml' }, body: rolloutPolicyDefinition }
    const { name } = rolloutPolicyDefinition.metadata
    await cluster.call('PATCH', `${definitions}/${name}?fieldManager=suite&force=true`, apply)
    await cluster.until(`${definitions}/${name}`, (found) => conditionOf(found, 'Established')?.status === 'True')
  })

  it.each(configs.map((config) => ({ name: config.metadata.name, config })))(
    'are taken as they are: $name',
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
