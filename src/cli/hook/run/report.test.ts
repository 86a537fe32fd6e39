import { expect, it } from 'vitest'
import type { RunResult } from '../../../addons/scripts/run/types.ts'
import { paint } from '../../terminal/paint.ts'
import { asText } from './report.ts'

const colour = paint({ isTerminal: false, columns: 80 })
const trigger = { operation: 'Delete', kind: 'Pod', name: 'a', ignoreHookError: false } as const
const result: RunResult = {
  exit: { code: 0, signal: undefined },
  duration: 1,
  metrics: [],
  patches: [trigger, { ...trigger, name: 'b' }],
  answers: { admission: '', conversion: '' },
  valuesPatches: { values: '', configValues: '' },
}

it('prints how many patches were applied', () => {
  const head = (problems: readonly string[]) =>
    asText({ hook: 'a.sh', result, output: [], applied: { cluster: 'here', problems } }, colour).split('\n')[2]
  expect(head([])).toBe('2 patches, applied to here:')
  expect(head(['no'])).toBe('1 of 2 patches applied to here:')
})
