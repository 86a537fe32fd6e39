import { expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { idleForModules } from './addon-operator.ts'

it('[addons Z5, Z14] tells of what is meant for modules, and of nothing else', async () => {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { files } = simulation.runtime
    expect(await idleForModules('/addons', { PATH: '/bin', MODULES_DIR: '' }, files)).toEqual([])
    await files.makeDirectory('/addons/modules/001-m')
    const idle = await idleForModules('/addons', { MODULES_DIR: '/modules', HELM_IGNORE_RELEASE: 'operator' }, files)
    expect(idle.map(({ name }) => name)).toEqual([
      'environment variable MODULES_DIR',
      'environment variable HELM_IGNORE_RELEASE',
      'folder /addons/modules',
    ])
  })
})
