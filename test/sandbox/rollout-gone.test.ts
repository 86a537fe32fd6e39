/** Deleted namespaces with policies and workloads in virtual time: they cause no warnings and no errors. */
import { expect, it } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import { at, isStarted, job, play } from './rollouts.ts'

it.each([
  ['at rest', 1],
  ['held by a hook', 2],
])('logs no warning when its namespace is deleted while it is %s', (_, version) =>
  play(
    91,
    async (stage) => {
      await stage.running('Deployment', 2)
      const migrate = { name: 'migrate', trigger: at(0), jobSpec: job({ 'run-for': '600s' }) }
      await stage.policy({ lifecycleHooks: [migrate] })
      if (version > 1) {
        await stage.roll(version)
        await stage.untilPolicy(isStarted('migrate'))
      }
      stage.repeat(({ method, target }) => method === 'PATCH' && target.includes('/rolloutpolicies/web'))
      const namespaces = stage.client.of(resources.namespaces)
      await namespaces.delete('gone')
      await stage.runtime.clock.sleep(60_000)
      const { items } = await namespaces.list()
      expect(items.map(({ metadata }) => metadata.name)).not.toContain('gone')
      expect(stage.complaints()).toEqual([])
    },
    {},
    'gone',
  ),
)
