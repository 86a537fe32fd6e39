/** Writes a controller with the library: in an empty project, typed, and tested in virtual time. */
import type { Walker } from './walker.ts'

const guide = 'docs/guides/write-a-controller.md'

export async function libraryUser(walker: Walker): Promise<void> {
  await walker.openProject('sizes')
  // The project has them already: a walk asks no registry.
  await walker.read(guide, 'The loop', { leave: ['npm install'] })
  await walker.read(guide, 'Test it in virtual time')
}
