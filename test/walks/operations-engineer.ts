/** Has shell scripts that follow the cluster: writes a hook, tries it on files, tests it and runs it. */
import { startCluster, up } from './start.ts'
import type { Walker } from './walker.ts'

const guide = 'docs/guides/write-a-hook.md'

export async function operationsEngineer(walker: Walker): Promise<void> {
  await startCluster(walker)
  await walker.read(guide, 'In one minute')
  await walker.read(guide, 'The smallest one', {
    leave: up,
    ready: { 'carabiner run': /the operator has started[\s\S]*is ready/ },
  })
  await walker.read(guide, 'Follow objects')
  await walker.read(guide, 'Try it on files')
  await walker.read(guide, 'Test it')
}
