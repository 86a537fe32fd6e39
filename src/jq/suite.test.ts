/** All cases of the test files of jq. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCases } from '../../test/jq/cases.ts'
import { testModules } from '../../test/jq/modules.ts'
import { compile, JqError, parseJson, print } from './index.ts'
import { equals } from './values/compare.ts'

const vectors = process.env['CARABINER_TEST_VECTORS']
const folder = vectors === undefined ? undefined : join(vectors, 'jq')
if (folder === undefined) process.stdout.write('CARABINER_TEST_VECTORS is not set: the test suites of jq are skipped\n')

const options = { numbers: 'literal', modules: testModules } as const
const files = folder === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith('.test'))

describe.skipIf(folder === undefined)('the test suites of jq', () => {
  it('exist', () => {
    expect(files.length).toBeGreaterThanOrEqual(4)
  })

  for (const file of files) {
    const { cases, failing } = readCases(readFileSync(join(folder ?? '', file), 'utf8'))

    describe(file, () => {
      it.each(cases)('line $line: $program', ({ program, input, outputs }) => {
        const expected = outputs.map((output) => parseJson(output))
        const actual: ReturnType<typeof parseJson>[] = []
        let failure: unknown
        try {
          for (const output of compile(program, options).run(parseJson(input))) actual.push(output)
        } catch (error) {
          // When there are fewer outputs than expected, the case ends with an error.
          failure = error
        }
        const same =
          actual.length === expected.length &&
          actual.every((value, index) => {
            const wanted = expected[index] ?? null
            return equals(value, wanted) || print(value) === print(wanted)
          })
        if (!same) expect({ outputs: actual.map((value) => print(value)), failure }).toEqual({ outputs })
        if (failure !== undefined) expect(failure).toBeInstanceOf(JqError)
      })

      it.each(failing)('line $line refuses: $program', ({ program, message }) => {
        let refused: unknown
        try {
          compile(program, options)
        } catch (error) {
          refused = error
        }
        expect(refused).toBeInstanceOf(JqError)
        if (message !== undefined) expect(`jq: error: ${(refused as JqError).message}`).toBe(message)
      })
    })
  }
})
