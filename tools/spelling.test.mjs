import { expect, it } from 'vitest'
import { wordsToSpell } from './spelling/texts.mjs'

const words = (path, text) => wordsToSpell(path, text).map(({ word }) => word)

it('spells pages without their code, links and quotations', () => {
  const page = 'Some words of `codee` and [a lynk](other/adress.md), "as theyy say", in src/foldr.\n\n```\ncodee\n```\n'
  expect(words('a.md', page)).toEqual(['Some', 'words', 'and', 'lynk'])
})

it('spells comments, sentences and test titles, not names and data', () => {
  const program = "// The camelCase nmae.\nconst nmae = 'x-nmae'\nthrow new Error('there is no policy of this name')\n"
  expect(words('src/a.ts', program)).toEqual(['The', 'nmae', 'there', 'policy', 'this', 'name'])
  expect(words('a.test.ts', "it('works as a whole', () => { run('not as a title') })")).toEqual(['works', 'whole'])
})
