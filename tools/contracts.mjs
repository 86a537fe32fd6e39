/**
 * `npm run contracts`: joins the promises listed in docs/reference/contracts/*.md with the tests that carry their ids, and prints
 * what no test proves. A promise is a table row whose first cell is an id; one that is not due yet says so with `planned` in its
 * last cell.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const contractsFolder = 'docs/reference/contracts'
const proofs = collectProofs(['src', 'test'])
const unproven = []
const doubled = []
const unknown = new Set(proofs.keys())
const lines = []
for (const file of readdirSync(contractsFolder)
  .filter((name) => name.endsWith('.md'))
  .sort()) {
  const surface = basename(file, '.md')
  const promises = readPromises(join(contractsFolder, file))
  let proven = 0
  let planned = 0
  const ids = promises.map(({ id }) => id)
  doubled.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${surface} ${id}`))
  for (const { id, isPlanned } of promises) {
    const key = `${surface} ${id}`
    unknown.delete(key)
    if (proofs.has(key)) proven += 1
    else if (isPlanned) planned += 1
    else unproven.push(key)
  }
  lines.push(`${surface}: ${promises.length} promises, ${proven} proven by tests, ${planned} planned`)
}
console.log(lines.join('\n') || 'no contracts listed yet')
for (const key of doubled) console.error(`[${key}] stands for two promises`)
for (const key of unproven) console.error(`no test proves [${key}]`)
for (const key of unknown) console.error(`${proofs.get(key)} names [${key}], which no contract lists`)
process.exit(doubled.length + unproven.length + unknown.size > 0 ? 1 : 0)

function readPromises(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => /^\|\s*([A-Z]+\d+[a-z]?)\s*\|(.*)\|\s*$/.exec(line))
    .filter((match) => match !== null)
    .map(([, id, rest]) => ({ id, isPlanned: /\|\s*planned\s*$/.test(rest) }))
}

function collectProofs(folders) {
  const found = new Map()
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      // Scenarios that several suites play stand in files of their own.
      if (!entry.isFile() || !entry.name.endsWith(folder === 'test' ? '.ts' : '.test.ts')) continue
      const path = join(entry.parentPath, entry.name)
      for (const [, surface, ids] of readFileSync(path, 'utf8').matchAll(
        /\[(rollouts|addons|deployers) ([A-Z]+\d[^\]]*)\]/g,
      )) {
        for (const id of ids.split(/[\s,]+/)) found.set(`${surface} ${id}`, path)
      }
    }
  }
  return found
}
