/** How every walk in a checkout begins. */
import type { Walker } from './walker.ts'

/** The guides say that in a checkout `npm start` takes its place, and that runs already. */
export const up = ['carabiner up']

/** The cluster of the README runs in the first terminal, and `carabiner` is on the PATH of the second. */
export async function startCluster(walker: Walker): Promise<void> {
  await walker.openTerminal()
  await walker.read('README.md', 'Two commands', { leave: ['npm test'] })
  await walker.read('README.md', 'A tour of one minute', { leave: ['kubectl', 'carabiner'] })
}
