/**
 * Writes docs/reference/errors.md from the table of error codes; with `--check` fails when the page is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { errorTable } from '../dist/runtime/errors.js'

const path = 'docs/reference/errors.md'
const rows = Object.entries(errorTable)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, { exit, meaning, remedy }]) => `| \`${code}\` | ${meaning} | ${remedy} | ${exit} |`)
const page = `# Errors

Every error names its code, the file or object it is about, and what to do. This page is written by \`npm run docs\` from the table in \`src/runtime/errors.ts\`.

| code | meaning | what to do | exit code |
|---|---|---|---|
${rows.join('\n')}
`
if (!process.argv.includes('--check')) writeFileSync(path, page)
else if (readFileSync(path, 'utf8') !== page) {
  console.error(`${path} is not what the table says; run npm run docs`)
  process.exit(1)
}
