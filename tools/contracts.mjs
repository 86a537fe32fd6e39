/**
 * `npm run contracts`: joins the promises listed in docs/reference/contracts/*.md with the tests whose titles carry their ids, and prints what no
 * test proves. A promise is a table row whose first cell is an id; one that is not due yet says so with `planned` in its last cell.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { contractIds } from './contracts/titles.mjs'
import { filesIn } from './source/files.mjs'

const contractsFolder = 'docs/reference/contracts'
const ids = [...filesIn(['src'], /\.test\.ts$/), ...filesIn(['test'], /\.ts$/)].flatMap((path) =>
  contractIds(path, readFileSync(path, 'utf8')).map((found) => ({ path, ...found })),
)
const proofs = new Map(
  ids.filter(({ isTitle, isSkipped }) => isTitle && !isSkipped).map(({ key, path }) => [key, path]),
)
const skipped = new Map(ids.filter(({ isSkipped }) => isSkipped).map(({ key, path }) => [key, path]))
const problems = ids
  .filter(({ isTitle }) => !isTitle)
  .map(({ key, path }) => `${path} names [${key}] outside the title of a test`)
const unknown = new Set(proofs.keys())
const lines = []
for (const file of readdirSync(contractsFolder)
  .filter((name) => name.endsWith('.md'))
  .sort()) {
  const surface = basename(file, '.md')
  const promises = readPromises(join(contractsFolder, file))
  const all = promises.map(({ id }) => id)
  const doubled = all.filter((id, index) => all.indexOf(id) !== index)
  problems.push(...doubled.map((id) => `[${surface} ${id}] stands for two promises`))
  let proven = 0
  let planned = 0
  for (const { id, isPlanned } of promises) {
    const key = `${surface} ${id}`
    unknown.delete(key)
    if (proofs.has(key)) proven += 1
    else if (isPlanned) planned += 1
    else problems.push(`no test proves [${key}]${skipped.has(key) ? `; that of ${skipped.get(key)} is skipped` : ''}`)
  }
  lines.push(`${surface}: ${promises.length} promises, ${proven} proven by tests, ${planned} planned`)
}
console.log(lines.join('\n') || 'no contracts listed yet')
console.log(`read from the titles of tests; tests that are skipped do not count (${skipped.size} ids)`)
for (const key of unknown) problems.push(`${proofs.get(key)} names [${key}], which no contract lists`)
for (const problem of problems) console.error(problem)
process.exit(problems.length > 0 ? 1 : 0)

function readPromises(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => /^\|\s*([A-Z]+\d+[a-z]?)\s*\|(.*)\|\s*$/.exec(line))
    .filter((match) => match !== null)
    .map(([, id, rest]) => ({ id, isPlanned: /\|\s*planned\s*$/.test(rest) }))
}
