import { expect, it } from 'vitest'
import { hookLabel, identityOf, partsOfKey } from './identity.ts'
import { objectName, type Run, runKey } from './run.ts'

const run: Run = {
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u-1' },
  ...{ lifecycle: '5d8c', point: '50%', hook: 'smoke', attempt: 12 },
}

it('reads hook and attempt back from the name and labels of a run object', () => {
  expect(identityOf({ name: objectName(run), labels: { [hookLabel]: run.hook } })).toEqual({
    hook: 'smoke',
    attempt: 12,
  })
})

it('reads the attempt back from a key, and what all attempts share', () => {
  expect(partsOfKey(runKey(run))).toEqual({ prefix: 'rollouts/u-1/5d8c/50%/smoke', attempt: 12 })
})
