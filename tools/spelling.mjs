/**
 * `node tools/spelling.mjs [PATH…]`: spells the words that people read with an English dictionary, the terms of docs/glossary.md and the words of
 * tools/spelling/words.txt. A word of that list that stands nowhere fails the check, so that it stays a list of words in use.
 */
import { existsSync, readFileSync } from 'node:fs'
import dictionary from 'dictionary-en'
import nspell from 'nspell'
import { filesIn } from './source/files.mjs'
import { lineFinder } from './source/syntax.mjs'
import { wordsToSpell } from './spelling/texts.mjs'

const everything = [
  '.changeset',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'docs',
  'examples',
  'src',
  'test',
  'tools',
]
const given = process.argv.slice(2)
const own = readFileSync('tools/spelling/words.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const terms = [...readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, term]) =>
  term.split(/[\s-]+/),
)
const spell = nspell(dictionary)
for (const word of [...own, ...terms]) spell.add(word)

const used = new Set()
const verdicts = new Map()
const mistakes = []
for (const path of filesIn(
  given.length > 0 ? given : everything.filter((path) => existsSync(path)),
  /\.(?:ts|mjs|cjs|md)$/,
)) {
  const text = readFileSync(path, 'utf8')
  const lineOf = lineFinder(text)
  for (const { word, offset } of wordsToSpell(path, text)) {
    used.add(word)
    if (!isCorrect(word)) mistakes.push({ path, line: lineOf(offset), word })
  }
}
for (const { path, line, word } of mistakes) console.error(`${path}:${line}: "${word}"`)
const idle = given.length > 0 ? [] : own.filter((word) => ![...formsOf(word)].some((form) => used.has(form)))
for (const word of idle) console.error(`tools/spelling/words.txt: "${word}" stands nowhere any more`)
console.log(`${used.size} different words, ${mistakes.length} mistakes`)
process.exit(mistakes.length + idle.length > 0 ? 1 : 0)

function isCorrect(word) {
  if (!verdicts.has(word)) verdicts.set(word, spell.correct(word) || spell.correct(word.toLowerCase()))
  return verdicts.get(word)
}

function formsOf(word) {
  return [word, word[0].toUpperCase() + word.slice(1)]
}
