/** The first rollout of a Deployment, which is held when the manifest has the label of its policy, in virtual time. */
import { describe, expect, it } from 'vitest'
import { convert } from '../../src/cli/migrate/deploymentconfig/convert.ts'
import type { DeploymentConfig } from '../../src/cli/migrate/deploymentconfig/types.ts'
import { finalizer } from '../../src/rollouts/decide/finalizer.ts'
import { hasEnded, isStarted, play } from './rollouts.ts'

const config: DeploymentConfig = {
  ...{ apiVersion: 'apps.openshift.io/v1', kind: 'DeploymentConfig', metadata: { name: 'web', namespace: 'default' } },
  spec: {
    replicas: 2,
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    },
    strategy: {
      rollingParams: {
        pre: { failurePolicy: 'Abort', execNewPod: { containerName: 'main', command: ['migrate'] } },
      },
    },
  },
}

describe('a converted DeploymentConfig', () => {
  it('runs its pre hook before the first pod', () =>
    play(90, async (stage) => {
      for (const object of convert(config).objects) {
        const handle = await stage.client.find(object.apiVersion, object.kind)
        await handle.create(object)
      }
      await stage.untilPolicy(isStarted('pre'))
      expect(await stage.versions()).toEqual({})
      const { status, metadata } = await stage.untilPolicy(hasEnded('Complete', 'CREATE'))
      // Without it the workload would stay held when the policy is deleted during the rollout.
      expect(metadata.finalizers).toEqual([finalizer])
      expect(status?.rollout?.hooks).toMatchObject([{ name: 'pre', state: 'Succeeded' }])
      expect(status?.rollout?.message).toMatch(/^first rollout to web-\w+ is complete$/)
      expect(await stage.versions()).toEqual({ v1: 2 })
    }))
})
