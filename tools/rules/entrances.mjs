/**
 * A room is entered through its index.ts, or through the index.ts of a part directly in it (`src/runtime/real/index.ts`). Tests may look inside.
 * The list says how many imports of each room still go past an index.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { filesIn } from '../source/files.mjs'

export function findings() {
  return filesIn(['src'], /\.ts$/)
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .flatMap((path) =>
      importsOf(path)
        .filter((target) => roomOf(target) !== roomOf(path) && !/^src\/[^/]+\/(?:[^/]+\/)?index\.ts$/.test(target))
        .map((target) => ({ key: `src/${roomOf(path)}`, line: `${path}: goes past an index into ${target}` })),
    )
}

function importsOf(path) {
  const { module } = parseSync(path, readFileSync(path, 'utf8'))
  const sources = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
  ]
  const own = new Set(sources.filter((source) => source?.startsWith('.')))
  return [...own].map((source) => join(dirname(path), source)).filter((target) => target.split('/').length > 2)
}

function roomOf(path) {
  return path.split('/')[1]
}
