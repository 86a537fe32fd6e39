import { expect, it } from 'vitest'
import { inCluster } from '../../../test/sandbox/cluster.ts'
import { resources } from '../../kube/kinds/index.ts'
import { refuseInstalledOperator, refuseSecondOperator } from './operators.ts'

it('a second operator for rollouts is refused in any namespace', async () => {
  await inCluster(
    async ({ client }) => {
      const labels = { 'app.kubernetes.io/part-of': 'carabiner' }
      const install = (namespace: string, ...args: readonly string[]) =>
        client.of(resources.deployments).create({
          ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'carabiner', namespace, labels } },
          spec: {
            ...{ replicas: 0, selector: { matchLabels: labels } },
            template: { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'carabiner', args }] } },
          },
        } as never)
      const refusal = (namespace: string) =>
        refuseSecondOperator(client, { namespace }).then(
          () => 'none',
          (error: unknown) => error,
        )
      await install('default', 'run', '--no-rollouts', '--deployers', 'helm')
      expect(await refusal('kube-system')).toBe('none')
      await install('kube-public', 'run')
      expect(await refusal('kube-public')).toBe('none')
      expect(await refusal('kube-system')).toMatchObject({
        code: 'CRB_INSTALLED_ELSEWHERE',
        message: expect.stringMatching(/^Deployment kube-public\/carabiner already runs rollouts/),
        remedy: expect.stringContaining('-n kube-public'),
      })
    },
    { nodes: 0 },
  )
})

it('an operator outside the cluster is refused while an installed one runs', async () => {
  await inCluster(
    async ({ client }) => {
      const labels = { 'app.kubernetes.io/part-of': 'carabiner' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'i', args: ['run'] }] } }
      const write = (replicas: number) =>
        client.of(resources.deployments).apply(
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'carabiner', namespace: 'default', labels },
            spec: { replicas, selector: { matchLabels: labels }, template },
          } as never,
          { fieldManager: 'test' },
        )
      await write(1)
      await expect(refuseInstalledOperator(client)).rejects.toMatchObject({
        code: 'CRB_INSTALLED_ELSEWHERE',
        remedy: expect.stringContaining('kubectl scale -n default deployment/carabiner --replicas=0'),
      })
      await write(0)
      await refuseInstalledOperator(client)
    },
    { nodes: 0 },
  )
})
