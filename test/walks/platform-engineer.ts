/** Keeps clusters in shape for others: a module of values, chart and hook, and a deployer. */
import { startCluster, up } from './start.ts'
import type { Walker } from './walker.ts'

export async function platformEngineer(walker: Walker): Promise<void> {
  await startCluster(walker)
  await walker.read('docs/guides/converge-modules.md', 'A first module', { leave: up })
  const deployer = 'docs/guides/write-a-deployer.md'
  await walker.read(deployer, 'Begin')
  await walker.read(deployer, 'Test it')
  await walker.read(deployer, 'Run it', { leave: up })
}
