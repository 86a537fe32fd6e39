/**
 * `node tools/words.mjs [PATH…]` prints the words to replace, by file and line, and fails when there are any. There are no exceptions but the
 * texts of tools/words/quotations.txt.
 */
import { existsSync, readFileSync } from 'node:fs'
import { filesIn } from './source/files.mjs'
import { findMarkers, unusedQuotations } from './words/find.mjs'

const paths = process.argv.slice(2)
const everything = [
  '.changeset',
  '.ci',
  '.github',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'docs',
  'examples',
  'package.json',
  'src',
  'test',
  'tools',
]
const files = filesIn(paths.length > 0 ? paths : everything.filter((path) => existsSync(path)))
const texts = files.map((path) => readFileSync(path, 'utf8'))
const found = files.flatMap((path, index) => findMarkers(path, texts[index]).map((marker) => ({ path, ...marker })))

const unused = paths.length > 0 ? [] : unusedQuotations(texts)
for (const { path, line, word, instead } of found) console.error(`${path}:${line}: "${word}" → ${instead}`)
for (const text of unused) console.error(`tools/words/quotations.txt: found nowhere: ${text}`)
console.log(`${found.length} words to replace in ${files.length} files`)
process.exit(found.length + unused.length > 0 ? 1 : 0)
