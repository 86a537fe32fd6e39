/**
 * `node tools/words.mjs [PATH…]` prints the words to replace, by file and line. With `--check` it compares their number in each folder with
 * tools/lists/words.json, which may only shrink; with `--shrink` it writes the smaller numbers.
 */
import { existsSync, readFileSync } from 'node:fs'
import { compareCounts, countBy } from './lists.mjs'
import { filesIn } from './source/files.mjs'
import { findMarkers, unusedQuotations } from './words/find.mjs'

const options = process.argv.slice(2).filter((word) => word.startsWith('--'))
const paths = process.argv.slice(2).filter((word) => !word.startsWith('--'))
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

if (options.length > 0) {
  const problems = compareCounts(
    'words',
    countBy(found, ({ path }) => folderOf(path)),
    {
      shrink: options.includes('--shrink'),
      mayFall: true,
      hint: (folder) => `node tools/words.mjs ${folder} lists them`,
    },
  )
  problems.push(...unusedQuotations(texts).map((text) => `tools/words/quotations.txt: found nowhere: ${text}`))
  for (const problem of problems) console.error(problem)
  process.exit(problems.length > 0 ? 1 : 0)
}
for (const { path, line, word, instead } of found) console.log(`${path}:${line}: "${word}" → ${instead}`)
console.log(`${found.length} words to replace in ${files.length} files`)
process.exit(found.length > 0 ? 1 : 0)

/** `src/kube/queue/queue.ts` belongs to `src/kube`, `docs/faq.md` to `docs`. */
function folderOf(path) {
  return path.split('/').slice(0, -1).slice(0, 2).join('/') || path
}
