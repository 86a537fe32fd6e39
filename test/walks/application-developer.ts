/** Has an application whose database must be migrated: the tour of the README, and then the first guide. */
import { up } from './start.ts'
import type { Walker } from './walker.ts'

const guide = 'docs/guides/add-a-migration-to-a-deployment.md'

export async function applicationDeveloper(walker: Walker): Promise<void> {
  await walker.openTerminal()
  await walker.read('README.md', 'Two commands', { leave: ['npm test'] })
  await walker.read('README.md', 'A tour of one minute', {
    at: {
      'carabiner rollout get': {
        until: /go-live +Hook +Running[\s\S]* old +\d+s +shop\/orders:1, 3\/3/,
        press: '\x03',
      },
    },
  })
  await walker.read(guide, 'Try it', { leave: up })
}
