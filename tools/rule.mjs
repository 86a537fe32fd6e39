/**
 * `node tools/rule.mjs NAME` checks one rule of tools/rules against its list in tools/lists; `--shrink` removes from the list what is no longer
 * found, `--print` prints all that is found.
 */
import { compareCounts, countBy } from './lists.mjs'

const [name, ...options] = process.argv.slice(2)
const { findings } = await import(`./rules/${name}.mjs`)
const found = findings()
if (options.includes('--print')) {
  for (const { line } of found) console.log(line)
  process.exit(0)
}
const linesOf = (key) =>
  found
    .filter((finding) => finding.key === key)
    .slice(0, 5)
    .map(({ line }) => `\n  ${line}`)
    .join('')
const problems = compareCounts(
  name,
  countBy(found, ({ key }) => key),
  { shrink: options.includes('--shrink'), hint: linesOf },
)
for (const problem of problems) console.error(problem)
console.log(`${found.length} exceptions`)
process.exit(problems.length > 0 ? 1 : 0)
