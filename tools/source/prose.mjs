/**
 * Separates what is written for readers from what is written for the machine: comments and texts of a program are prose, the rest is code. A
 * file that is no program is prose. Both are as long as the file, with blanks for the other part, so that offsets stay right.
 */
import { isProgram, parse, walk } from './syntax.mjs'

export function separate(path, text) {
  if (!isProgram(path)) return { prose: path.endsWith('.md') ? withoutQuotes(text) : text, code: '' }
  const { program, comments } = parse(path, text)
  const ranges = comments.map(({ start, end }) => [start, end])
  walk(program, (node) => {
    if (isText(node)) ranges.push([node.start, node.end])
  })
  return { prose: keep(text, ranges), code: blank(text, ranges) }
}

function isText(node) {
  if (node.type === 'TemplateElement') return true
  if (node.type !== 'Literal') return false
  // A text that is one word is a name: of a state, a field, an event.
  return node.regex !== undefined || (typeof node.value === 'string' && !/^[A-Za-z][\w.-]*$/.test(node.value))
}

/** Block quotes of a page are the words of others. */
function withoutQuotes(text) {
  return text.replace(/^[ \t]*>.*$/gm, (line) => ' '.repeat(line.length))
}

export function blank(text, ranges) {
  let result = ''
  let end = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from < end) continue
    result += text.slice(end, from) + text.slice(from, to).replace(/[^\n]/g, ' ')
    end = to
  }
  return result + text.slice(end)
}

function keep(text, ranges) {
  let result = ''
  let end = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from < end) continue
    result += text.slice(end, from).replace(/[^\n]/g, ' ') + text.slice(from, to)
    end = to
  }
  return result + text.slice(end).replace(/[^\n]/g, ' ')
}

/** The words of a text in lower case with their offsets: `letGo` and `let_go` are two words each. */
export function wordsOf(text) {
  return Array.from(text.matchAll(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    offset: index,
  }))
}
