/** Syntax trees of TypeScript and JavaScript files. */
import { parseSync } from 'oxc-parser'

export const isProgram = (path) => /\.(?:ts|mjs|cjs)$/.test(path)

/** The tree of one file and its comments; a file that does not parse is an error. */
export function parse(path, text) {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  return { program, comments }
}

/** Calls `visit(node, parents)` for every node, parents before children; `parents` ends with the direct parent. */
export function walk(node, visit, parents = []) {
  visit(node, parents)
  parents.push(node)
  for (const key in node) {
    const value = node[key]
    if (Array.isArray(value)) for (const child of value) visitChild(child, visit, parents)
    else visitChild(value, visit, parents)
  }
  parents.pop()
}

function visitChild(child, visit, parents) {
  if (child !== null && typeof child === 'object' && typeof child.type === 'string') walk(child, visit, parents)
}

/** A function that turns offsets into line numbers, which start at 1. */
export function lineFinder(text) {
  const starts = [0]
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
