/** 20,000 generated programs on generated inputs, here and in jq itself, with a fixed seed, so that a failure is a regression. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { input, program } from '../jq/generator.ts'
import { loadOracle, runHere } from '../jq/oracle.ts'

it('gives the outputs and errors of jq for 20,000 generated programs', async () => {
  const oracle = await loadOracle()
  fc.assert(
    fc.property(program, input, (source, text) => {
      expect(runHere(source, text)).toEqual(oracle(source, text))
    }),
    { numRuns: 20_000, seed: 18 },
  )
})
