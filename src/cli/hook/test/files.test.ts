import { expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { casesAt } from './files.ts'

it('reads a data file as test cases and reports that a hook script contains none', async () => {
  const simulation = createSimulation(1)
  const { files } = simulation.runtime
  await simulation.run(async () => {
    await files.makeDirectory('/hooks')
    await files.write('/hooks/team.sh', '#!/usr/bin/env bash\n')
    await files.write('/hooks/cases.yaml', 'name: one\nsteps: [{expect: {runs: []}}]\n')
    expect((await casesAt(files, '/hooks/cases.yaml')).map(({ name }) => name)).toEqual(['one'])
    await expect(casesAt(files, '/hooks/team.sh')).rejects.toMatchObject({
      code: 'CRB_FILE_NOT_FOUND',
      message: '/hooks/team.sh contains no test cases',
    })
  })
})
