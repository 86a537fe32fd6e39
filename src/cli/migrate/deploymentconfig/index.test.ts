import { expect, it } from 'vitest'
import { recordedContext } from '../../../../test/cli/context.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { deploymentConfigCommand } from './index.ts'

const head = 'apiVersion: apps.openshift.io/v1\nkind: DeploymentConfig\nmetadata: {name: web}\n'

it.each([
  ['', 'it contains no DeploymentConfig'],
  [head, 'DeploymentConfig web has no spec.template.spec.containers'],
  [`${head}spec: {replicas: 2}`, 'DeploymentConfig web has no spec.template.spec.containers'],
  [`${head}spec: {template: {spec: {}}}`, 'DeploymentConfig web has no spec.template.spec.containers'],
])('reports what is missing in %j', async (text, message) => {
  const simulation = createSimulation(1)
  const { context } = recordedContext(simulation.runtime)
  const run = simulation.run(async () => {
    await simulation.runtime.files.write('/dc.yaml', text)
    await deploymentConfigCommand(context).exitOverride().parseAsync(['/dc.yaml'], { from: 'user' })
  })
  await expect(run).rejects.toMatchObject({
    code: 'CRB_MANIFEST_INVALID',
    message: expect.stringContaining(message),
  })
})
