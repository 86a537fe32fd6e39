/** Bindings of script hooks to objects: what is watched, and what a hook is told of it. */
import { describe, expect, it } from 'vitest'
import { playScripts } from './scripts.ts'

const v1 = (...kubernetes: object[]) => ({ configVersion: 'v1', kubernetes })
const maps = (more: object = {}) => ({ name: 'maps', kind: 'ConfigMap', jqFilter: '.data', ...more })
const mine = { labelSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'DoesNotExist' }] } }
/** The cluster makes a ConfigMap of its own in every namespace. */
const named = (...matchNames: string[]) => ({ nameSelector: { matchNames } })

describe('kubernetes bindings', () => {
  it('[addons N1, S3] tell of the list first, then of each change', () =>
    playScripts(
      { 'a.sh': { config: v1(maps(named('one', 'two'))) } },
      async ({ start, configMap, change, remove, sleep, told }) => {
        await configMap('one', { a: '1' })
        await start()
        await sleep(1)
        await configMap('two', { b: '1' })
        await change('one', { a: '2' })
        await sleep(1)
        await remove('two')
        await sleep(1)
        expect(told('a.sh')).toEqual([
          'maps Synchronization [default/one {"a":"1"}]',
          'maps Added default/two {"b":"1"}',
          'maps Modified default/one {"a":"2"}',
          'maps Deleted default/two {"b":"1"}',
        ])
      },
    ))
})
void mine
