import { expect, it } from 'vitest'
import { defineHook } from './define.ts'

it('the error of a hook contains only the stack lines of the hook', async () => {
  const { run } = defineHook({
    config: { onStartup: 1 },
    run() {
      throw new Error('no luck')
    },
  })
  const { failed = '' } = await run('[]', new AbortController().signal)
  expect(failed).toMatch(/^Error: no luck\n {4}at .*define\.test\.ts:\d+:\d+\)?$/)
})
