/**
 * No data as arguments: V8 takes about 120,000 arguments of a call, so `list.push(...items)` fails above that with "Maximum call stack size exceeded".
 * `append`, `largest` and `smallest` of src/runtime take lists of any length. Allowed are lists whose length stands in the code: array literals, and
 * the rest parameters of a function.
 */
import { readFileSync } from 'node:fs'
import { filesIn } from '../source/files.mjs'
import { lineFinder, parse, walk } from '../source/syntax.mjs'

const methods = new Set(['push', 'unshift', 'splice', 'concat', 'fromCharCode', 'fromCodePoint'])

export function findings() {
  return filesIn(['src'], /\.ts$/)
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .flatMap((path) => findInProgram(path, readFileSync(path, 'utf8')))
}

export function findInProgram(path, text) {
  if (!/[(,]\s*\.\.\./.test(text)) return []
  const lineOf = lineFinder(text)
  const found = []
  walk(parse(path, text).program, (node, parents) => {
    if (node.type !== 'CallExpression' || !takesData(node.callee)) return
    const isData = ({ type, argument }) => type === 'SpreadElement' && !isBounded(argument, parents)
    if (!node.arguments.some(isData)) return
    const name = text.slice(node.callee.property.start, node.callee.property.end)
    found.push({
      key: path,
      line: `${path}:${lineOf(node.start)}: ${name}(...data) fails above about 120,000 items: use append, largest or smallest of src/runtime`,
    })
  })
  return found
}

function takesData({ type, object, property }) {
  if (type !== 'MemberExpression') return false
  return object.name === 'Math' ? ['max', 'min'].includes(property.name) : methods.has(property.name)
}

function isBounded(list, parents) {
  if (list.type === 'ParenthesizedExpression') return isBounded(list.expression, parents)
  if (list.type === 'ConditionalExpression')
    return isBounded(list.consequent, parents) && isBounded(list.alternate, parents)
  if (list.type === 'ArrayExpression')
    return list.elements.every((item) => item?.type !== 'SpreadElement' || isBounded(item.argument, parents))
  return list.type === 'Identifier' && parents.some((node) => hasRest(node, list.name))
}

function hasRest(node, name) {
  const parameters = node.params?.items ?? node.params
  if (!Array.isArray(parameters)) return false
  return parameters.some(({ type, argument }) => type === 'RestElement' && argument.name === name)
}
