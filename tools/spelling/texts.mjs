/**
 * The words that people read: pages without code, comments, the sentences of the program, titles of tests. What looks like code within them (paths,
 * names in camelCase, flags, addresses) is left out.
 */
import { isProgram, parse, walk } from '../source/syntax.mjs'

/** `{ word, offset }` of every word to spell. */
export function wordsToSpell(path, text) {
  return textsOf(path, text).flatMap(({ start, content }) =>
    wordsIn(content).map(({ word, offset }) => ({ word, offset: start + offset })),
  )
}

function textsOf(path, text) {
  if (path.endsWith('.md')) return [{ start: 0, content: withoutCode(text) }]
  if (!isProgram(path)) return []
  const { program, comments } = parse(path, text)
  const texts = comments.map(({ start, value }) => ({ start: start + 2, content: withoutCode(value) }))
  const isTest = /^(?:test|bench)\/|\.test\./.test(path)
  walk(program, (node, parents) => {
    const content = node.type === 'TemplateElement' ? node.value.raw : node.type === 'Literal' ? node.value : undefined
    if (typeof content !== 'string' || !isSentence(content)) return
    if (!isTest || isTitle(node, parents.at(-1))) texts.push({ start: node.start, content: withoutCode(content) })
  })
  return texts
}

/** Lists of names and data in other languages have none of the words that every sentence needs. */
function isSentence(text) {
  return / (?:the|a|an|is|are|be|not|no|of|to|and|or|in|for|with|by|on|it|as) /.test(text) && !/[{}]|\n.*:/.test(text)
}

/** The first argument of `it`, `test` and `describe`. */
function isTitle(node, parent) {
  if (parent?.type !== 'CallExpression' || parent.arguments[0] !== node) return false
  const { callee } = parent
  return /^(?:it|test|describe)$/.test(callee.name ?? callee.object?.name ?? callee.callee?.object?.name ?? '')
}

const code = [
  /^[ \t]*```[\s\S]*?^[ \t]*```/gm,
  /`[^`\n]+`/g,
  /"[^"\n]*"/g,
  /\]\([^)\n]*\)/g,
  /<[^>\n]*>/g,
  /https?:\S+/g,
]

function withoutCode(text) {
  return code.reduce((all, pattern) => all.replace(pattern, (found) => found.replace(/[^\n]/g, ' ')), text)
}

/** Words in natural letters: a token with other characters inside, or with a capital after its first letter, is code. */
function wordsIn(text) {
  return [...text.matchAll(/[^\s|()[\],;:!?"“”…—–*→·]+/gu)].flatMap(({ 0: token, index }) => {
    if (!/^['‘’.#-]*\p{L}[\p{L}'’-]*['‘’.-]*$/u.test(token)) return []
    return [...token.matchAll(/\p{L}[\p{L}'’]*/gu)]
      .filter(({ 0: word }) => !/.\p{Lu}/u.test(word) && word.length > 2)
      .map(({ 0: word, index: at }) => ({ word: word.replace(/['’]s?$/, '').replaceAll('’', "'"), offset: index + at }))
  })
}
