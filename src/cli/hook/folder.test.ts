import { expect, it } from 'vitest'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { inFolder } from './folder.ts'

const hook = `#!/bin/bash
echo '{"configVersion": "v1", "kubernetes": [{"kind": "Pod", "jqFilter": "import \\"names\\" as n; n::short"}]}'
`

it('filters of hooks find jq modules in JQ_LIBRARY_PATH, as in the operator', async () => {
  const { files } = createRealRuntime()
  const folder = await files.makeTemporary('folder-')
  await files.makeDirectory(`${folder}/hooks`)
  await files.write(`${folder}/hooks/a.sh`, hook, { mode: 0o755 })
  await files.write(`${folder}/names.jq`, 'def short: .metadata.name;')
  const problems = (env: Readonly<Record<string, string>>) =>
    inFolder(
      {
        runtime: createRealRuntime({ env: { PATH: process.env['PATH'], ...env } }),
        folder: `${folder}/hooks`,
        signal: new AbortController().signal,
      },
      async ({ invalid }) => invalid.flatMap((one) => one.problems),
    )
  expect(await problems({})).toEqual([expect.stringContaining('module not found: names')])
  expect(await problems({ JQ_LIBRARY_PATH: folder })).toEqual([])
  await files.remove(folder)
})
