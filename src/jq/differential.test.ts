/** Compares generated programs on generated inputs with jq. The long tier runs many more of them. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { input, program } from '../../test/jq/generator.ts'
import { loadOracle, runHere } from '../../test/jq/oracle.ts'

it('has the outputs and errors of jq for 500 generated programs', async () => {
  const oracle = await loadOracle()
  fc.assert(
    fc.property(program, input, (source, text) => {
      expect(runHere(source, text)).toEqual(oracle(source, text))
    }),
    { numRuns: 500, seed: 20_261_115 },
  )
})
