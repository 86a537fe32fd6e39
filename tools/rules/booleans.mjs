/**
 * No positional booleans: `start(run, true)` does not say what is true. A boolean belongs into an options object, unless it is the only parameter
 * of its function, whose name then says it (`setPaused(true)`). Parameters count whose type is written as boolean, or whose default is true or false.
 */
import { readFileSync } from 'node:fs'
import { filesIn } from '../source/files.mjs'
import { lineFinder, parse, walk } from '../source/syntax.mjs'

export function findings(paths = ['src', 'test', 'bench', 'tools']) {
  return filesIn(paths, /\.(?:ts|mjs)$/).flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    return /\bboolean\b|= (?:true|false)\b/.test(text) ? findInProgram(path, text) : []
  })
}

export function findInProgram(path, text) {
  const found = []
  const lineOf = lineFinder(text)
  walk(parse(path, text).program, (node, parents) => {
    const parameters = node.params?.items ?? node.params
    if (!Array.isArray(parameters) || parameters.length < 2 || !/Function|Method|Signature/.test(node.type)) return
    for (const parameter of parameters.filter(isBoolean)) {
      const name = `${functionName(node, parents)}(${parameterName(parameter)})`
      found.push({
        key: `${path} ${name}`,
        line: `${path}:${lineOf(parameter.start)}: ${name} is a positional boolean`,
      })
    }
  })
  return found
}

function isBoolean(parameter) {
  if (parameter.type === 'TSParameterProperty') return isBoolean(parameter.parameter)
  if (parameter.type === 'AssignmentPattern') {
    return typeof parameter.right.value === 'boolean' || isBooleanType(parameter.left.typeAnnotation?.typeAnnotation)
  }
  return isBooleanType(parameter.typeAnnotation?.typeAnnotation)
}

function isBooleanType(type) {
  if (type?.type === 'TSUnionType') return type.types.some(isBooleanType)
  return (
    type?.type === 'TSBooleanKeyword' || (type?.type === 'TSLiteralType' && typeof type.literal.value === 'boolean')
  )
}

function parameterName(parameter) {
  return parameter.name ?? parameter.left?.name ?? parameter.parameter?.name ?? '…'
}

/** Its own name, or that of what it is assigned to. */
function functionName(node, parents) {
  const owner = [node, ...parents.slice(-3).reverse()].find((at) => at.id?.name ?? at.key?.name)
  return owner?.id?.name ?? owner?.key?.name ?? 'function without a name'
}
