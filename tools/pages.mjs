/**
 * Writes the reference pages that are made from the code (`npm run docs`); with `--check` fails when one is not what it would write.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { buildProgram } from '../dist/cli/program.js'
import { kebab, settings } from '../dist/operator/settings.js'
import { errorTable } from '../dist/runtime/errors.js'

const pages = {
  'docs/reference/errors.md': errors(),
  'docs/reference/commands.md': await commands(),
  'docs/reference/operator.md': withSettings('docs/reference/operator.md'),
}
const stale = Object.entries(pages).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not what the code says; run npm run docs`)
  process.exit(stale.length > 0 ? 1 : 0)
}
for (const [path, text] of stale) writeFileSync(path, text)

function errors() {
  const rows = Object.entries(errorTable)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { exit, meaning, remedy }]) => `| \`${code}\` | ${meaning} | ${remedy} | ${exit} |`)
  return `# Errors

Every error names its code, the file or object it is about, and what to do. With \`--debug\` the stack is shown too.

| code | meaning | what to do | exit code |
|---|---|---|---|
${rows.join('\n')}
`
}

async function commands() {
  const silent = { write() {}, isTerminal: false, columns: 110 }
  const context = { runtime: { env: {} }, stdout: silent, stderr: silent, programName: 'carabiner' }
  const program = await buildProgram(context, 'every command')
  program.configureHelp({ helpWidth: 110 })
  return `# Commands

Exit codes: 0 done · 1 failed · 2 wrong usage · 3 still going when the time was over. As a kubectl plugin the program is \`kubectl carabiner\`.

${sections(program).join('\n')}`
}

function sections(command, path = 'carabiner') {
  const inherited = command.parent ? { helpWidth: 110 } : {}
  const help = command.configureHelp({ ...command.configureHelp(), ...inherited }).helpInformation()
  const own = `## ${path}\n\n\`\`\`text\n${relative(help).trimEnd()}\n\`\`\`\n`
  const children = command.commands.filter((child) => child.name() !== 'help')
  return [own, ...children.flatMap((child) => sections(child, `${path} ${child.name()}`))]
}

/** Paths of this checkout must not reach the page. */
function relative(help) {
  return help.replaceAll(new URL('..', import.meta.url).pathname, '')
}

function withSettings(path) {
  const rows = Object.entries(settings).map(
    ([name, { env, default: value, meaning }]) =>
      `| \`${name}\` | \`--${kebab(name)}\` | \`${env}\` | \`${value}\` | ${meaning} |`,
  )
  const table = /(\| setting in the file .*\n\|[-|]+\n)(?:\|.*\n)*/
  return readFileSync(path, 'utf8').replace(table, (_, head) => `${head}${rows.join('\n')}\n`)
}
