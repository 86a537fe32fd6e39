import { expect, it } from 'vitest'
import { defineHook } from './define.ts'

it('a hook that throws is told of with its own lines and none of ours', async () => {
  const { run } = defineHook({
    config: { onStartup: 1 },
    run() {
      throw new Error('no luck')
    },
  })
  const { failed = '' } = await run('[]', new AbortController().signal)
  expect(failed).toMatch(/^Error: no luck\n {4}at .*define\.test\.ts:\d+:\d+\)?$/)
})
