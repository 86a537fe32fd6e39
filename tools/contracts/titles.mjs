/**
 * The contract ids in the titles of tests, read from the syntax tree: titles of `it`, `test` and `describe`, rows of `.each` tables, constants
 * that stand there, and the `title` of a scenario that several suites play. Comments and other texts prove nothing, and neither do tests that are always skipped.
 */
import { parse, walk } from '../source/syntax.mjs'

const idPattern = /\[(rollouts|addons|deployers) ([A-Z]+\d[^\]]*)\]/g

/** `{ key, isSkipped }` for every id in a title; `key` is `rollouts W13`. A text with ids that is no title has `isTitle: false`. */
export function contractIds(path, text) {
  if (text.search(idPattern) < 0) return []
  const found = []
  const titleNames = new Set()
  const { program } = parse(path, text)
  walk(program, (node) => {
    const [title] = isTestCall(node) || isTable(node) ? node.arguments : []
    if (title === undefined) return
    walk(title, (part) => {
      if (part.type === 'Identifier') titleNames.add(part.name)
    })
  })
  walk(program, (node, parents) => {
    const isTitle = () => parents.some((parent, at) => holdsTitle(parent, parents[at + 1] ?? node, titleNames))
    for (const key of keysIn(textOf(node))) found.push({ key, isTitle: isTitle(), isSkipped: parents.some(isSkipping) })
  })
  return found
}

function textOf(node) {
  if (node.type === 'TemplateElement') return node.value.cooked
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
}

function keysIn(text) {
  return [...text.matchAll(idPattern)].flatMap(([, surface, ids]) =>
    ids.split(/[\s,]+/).map((id) => `${surface} ${id}`),
  )
}

function holdsTitle(parent, child, titleNames) {
  if (parent.type === 'Property') return parent.key.name === 'title' && child === parent.value
  if (parent.type === 'VariableDeclarator') return titleNames.has(parent.id.name) && child === parent.init
  return (isTestCall(parent) || isTable(parent)) && child === parent.arguments[0]
}

/** `it.each(table)` */
function isTable(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  return node.callee.property.name === 'each' && isTestName(wordsOfCall(node.callee)[0])
}

/** A call with a title; `it.each(table)` and `it.skipIf(condition)` are calls that return the function which takes it. */
function isTestCall(node) {
  if (node.type !== 'CallExpression') return false
  const words = wordsOfCall(node.callee)
  const isUnfinished = ['each', 'skipIf', 'runIf'].includes(words.at(-1)) && node.callee.type !== 'CallExpression'
  return isTestName(words[0]) && !isUnfinished
}

function isTestName(name) {
  return name === 'it' || name === 'test' || name === 'describe'
}

function isSkipping(node) {
  if (!isTestCall(node)) return false
  const options = node.arguments.flatMap((argument) =>
    argument.type === 'ObjectExpression' ? argument.properties : [],
  )
  const isSwitchedOff = ({ key, value }) => ['skip', 'todo'].includes(key?.name) && value.value === true
  return wordsOfCall(node.callee).some((word) => word === 'skip' || word === 'todo') || options.some(isSwitchedOff)
}

/** `it.skip.each(table)` is `it`, `skip`, `each`. */
function wordsOfCall(callee) {
  if (callee.type === 'Identifier') return [callee.name]
  if (callee.type === 'MemberExpression') return [...wordsOfCall(callee.object), callee.property.name]
  if (callee.type === 'CallExpression' || callee.type === 'TaggedTemplateExpression') {
    return wordsOfCall(callee.callee ?? callee.tag)
  }
  return ['']
}
