/** `hook test --watch` with real files and hooks. */
import { expect, it, vi } from 'vitest'
import { recordedContext } from '../../../../test/cli/context.ts'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import { testCommand } from './index.ts'

const hookText = (comment: string) =>
  `#!/bin/sh\n# ${comment}\nif [ "$1" = --config ]; then echo '{"configVersion":"v1","onStartup":1}'; fi\n`
const caseText = (hook: string, says: string) => `name: ${hook} says ${says}\nhooks: [${hook}]\nsteps: [{wait: 1s}]\n`
const waiting = 'waiting for changes'

it('runs the cases of what was edited again, and survives a case that cannot be read', async () => {
  const runtime = createRealRuntime({ log: { level: 'error' } })
  const { files } = runtime
  const interrupted = new AbortController()
  const { context, written, code } = recordedContext(runtime, { signal: interrupted.signal })
  const root = await files.makeTemporary('hook-test-watch-')
  /** What the command prints from an edit until it waits again. */
  const after = async (edit: () => Promise<void>): Promise<string> => {
    const before = written().length
    await edit()
    await vi.waitUntil(() => written().slice(before).includes(waiting), { timeout: 20_000, interval: 20 })
    return written().slice(before)
  }
  await files.makeDirectory(`${root}/hooks/lib`)
  for (const name of ['a', 'b']) {
    await files.write(`${root}/hooks/${name}.sh`, hookText('first'), { mode: 0o755 })
    await files.write(`${root}/${name}.hooktest.yaml`, caseText(name, 'hello'))
  }
  let command = Promise.resolve<unknown>(undefined)
  const start = async () => {
    command = testCommand(context).parseAsync([root, '--watch'], { from: 'user' })
  }
  try {
    expect(await after(start)).toContain('2 passed, 0 failed\n')

    const edited = await after(() => files.write(`${root}/hooks/a.sh`, hookText('second')))
    expect(edited).toMatch(/^\nchanged: \S*hooks\/a\.sh\npass {2}a says hello .*\n1 passed, 0 failed\n/)

    expect(await after(() => files.write(`${root}/hooks/lib/shared.sh`, 'x=1\n'))).toContain('2 passed, 0 failed\n')

    const broken = await after(() => files.write(`${root}/b.hooktest.yaml`, 'name: ['))
    expect(broken).toMatch(/\n\S*b\.hooktest\.yaml:1: /)
    expect(code()).toBe(1)

    const repaired = await after(() => files.write(`${root}/b.hooktest.yaml`, caseText('b', 'again')))
    expect(repaired).toMatch(/\npass {2}b says again .*\n1 passed, 0 failed\n/)
    expect(code()).toBe(0)
  } finally {
    interrupted.abort()
    await command
    await files.remove(root)
    await runtime.close()
  }
})
