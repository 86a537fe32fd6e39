/**
 * Finds words that this project does not use (markers.json): in comments, texts, names and pages. Some are private words only where they name
 * something ("towards", "former"), others wherever they stand. Texts of the original systems that must stay literal are listed in quotations.txt.
 */
import { readFileSync } from 'node:fs'
import { separate, wordsOf } from '../source/prose.mjs'
import { isProgram, lineFinder } from '../source/syntax.mjs'

const markers = JSON.parse(readFileSync(new URL('markers.json', import.meta.url), 'utf8'))
/** Most files have none of the words, in whatever case, and need not be parsed. */
const all = [...Object.keys({ ...markers.anywhere, ...markers.names, ...markers.calls }), 'ever']
const capitalized = all.map((word) => word[0].toUpperCase() + word.slice(1))
const suspicious = new RegExp(
  [
    `(?<![A-Za-z])(?:${all.join('|')})(?![a-z])`,
    `(?:${capitalized.join('|')})(?![a-z])`,
    `(?<![A-Z])(?:${all.join('|').toUpperCase()})(?![A-Z])`,
  ].join('|'),
)
const inProse = new Map(Object.entries(markers.anywhere))
const inNames = new Map(Object.entries({ ...markers.anywhere, ...markers.names }))
const quotations = readFileSync(new URL('quotations.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** `{line, word, instead}` for every word of the text that is to be replaced. */
export function findMarkers(path, text, literal = quotations) {
  if (!suspicious.test(text) && !suspicious.test(path)) return []
  const { prose, code } = separate(path, blankQuotations(text, literal))
  const lineOf = lineFinder(text)
  const found = []
  const add = (offset, word, instead) => found.push({ offset, line: lineOf(offset), word, instead })
  for (const { word, offset } of wordsOf(prose)) {
    if (inProse.has(word)) add(offset, word, inProse.get(word))
  }
  const fileName = isProgram(path) ? wordsOf(path.slice(path.lastIndexOf('/'))) : []
  const names = [...fileName.map(({ word }) => ({ word, offset: 0 })), ...wordsOf(code)]
  for (const { word, offset } of names) {
    if (inNames.has(word)) add(offset, word, inNames.get(word))
  }
  for (const [phrase, instead] of Object.entries(markers.phrases)) {
    for (const match of prose.matchAll(new RegExp(`\\b${phrase.replace(' ', '[\\s*/#|]+')}\\b`, 'gi')))
      add(match.index, phrase, instead)
  }
  for (const [name, instead] of Object.entries(markers.calls)) {
    for (const match of code.matchAll(new RegExp(`\\b${name}\\b`, 'g'))) add(match.index, name, instead)
  }
  return found.sort((a, b) => a.offset - b.offset)
}

/** Quotations that stand in none of the texts. */
export function unusedQuotations(texts) {
  return quotations.filter((quotation) => !texts.some((text) => text.includes(quotation)))
}

function blankQuotations(text, literal) {
  const ranges = literal.flatMap((quotation) => {
    const found = []
    for (let at = text.indexOf(quotation); at >= 0; at = text.indexOf(quotation, at + 1))
      found.push([at, at + quotation.length])
    return found
  })
  return ranges.length === 0 ? text : blankLetters(text, ranges)
}

/** Only letters go, or a program would no longer parse. */
function blankLetters(text, ranges) {
  return ranges.reduce(
    (all, [from, to]) => all.slice(0, from) + all.slice(from, to).replace(/\p{L}/gu, 'x') + all.slice(to),
    text,
  )
}
