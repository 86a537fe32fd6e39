/**
 * Writes the reference pages that are generated from the code (`npm run docs`); with `--check` it fails when a page is stale.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { buildProgram } from '../build/cli/program.js'
import { scriptFlags, variablesWithoutEffect } from '../build/cli/scripts/flags.js'
import { kebab, settings } from '../build/operator/settings.js'
import { phaseSentences, situations } from '../build/rollouts/decide/situation.js'
import { rolloutPolicyDefinition } from '../build/rollouts/policy/definition.js'
import { errorTable } from '../build/runtime/errors.js'

const pages = {
  'docs/reference/errors.md': errors(),
  'docs/reference/commands.md': await commands(),
  'docs/reference/operator.md': withSettings('docs/reference/operator.md'),
  'docs/reference/shell-operator-flags.md': shellOperatorFlags(),
  'docs/reference/situations.md': situationTable(),
  'docs/reference/rollouts.md': withFields('docs/reference/rollouts.md'),
}
const stale = Object.entries(pages).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale; run npm run docs`)
  process.exit(stale.length > 0 ? 1 : 0)
}
for (const [path, text] of stale) writeFileSync(path, text)

function errors() {
  const rows = Object.entries(errorTable)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { exit, meaning, remedy }]) => `| \`${code}\` | ${cell(meaning)} | ${cell(remedy)} | ${exit} |`)
  return `# Errors

Every error names its code, the file or object it is about, and what to do. With \`--debug\` the stack is shown too.

| code | meaning | what to do | exit code |
|---|---|---|---|
${rows.join('\n')}
`
}

function situationTable() {
  const rows = Object.entries(situations).map(([name, { sentence, condition, writes }]) => {
    const said = condition === undefined ? '' : `${condition.state}, \`${condition.reason}\``
    return `| \`${name}\` | ${cell(sentence)} | ${said} | ${writes.map((phase) => `\`${phase}\``).join(' ')} |`
  })
  const phases = Object.entries(phaseSentences).map(([phase, sentence]) => `| \`${phase}\` | ${cell(sentence)} |`)
  return `# Situations of a rollout policy

The engine of rollouts finds every policy in exactly one of these situations (\`src/rollouts/decide/situation.ts\`) and decides what to write in it.
The condition is what the policy's status says; where there is none, its reason is the phase of the rollout, or nothing changes.

| situation | meaning | condition | may write |
|---|---|---|---|
${rows.join('\n')}

## Phases of a decision

A decision is written in this order (\`src/rollouts/decide/decision.ts\`). \`before\`, \`unhide\`, \`after\`, \`tidy\` and \`requests\` may be written in every
situation but \`CacheBehind\`.

| phase | what is written |
|---|---|
${phases.join('\n')}
`
}

/** A bar ends a table cell, even within code. */
function cell(text) {
  return text.replaceAll('|', '\\|')
}

async function commands() {
  const silent = { write() {}, isTerminal: false, columns: 110 }
  const context = { runtime: { env: {} }, stdout: silent, stderr: silent, programName: 'carabiner' }
  const program = await buildProgram(context, 'every command')
  program.configureHelp({ helpWidth: 110 })
  return `# Commands

Exit codes: 0 done · 1 failed · 2 wrong usage · 3 still in progress at the timeout. As a kubectl plugin the program is \`kubectl carabiner\`. Hints and
remedies name the program as it was started (\`npx carabiner\`, \`kubectl carabiner\`, \`node dist/bin/main.js\`), so that they can be pasted.

Tables fit the terminal: long names lose their middle, and \`-o wide\` shows everything. Where the output is not a terminal, nothing is shortened. Without UTF-8
(\`LC_ALL=C\`) and with \`TERM=dumb\` all texts of the program are ASCII; colours follow \`--color\` and \`NO_COLOR\`. Control characters in names, messages and logs are shown
as \`\\u001b\`, never obeyed. \`-o json\` and \`-o yaml\` have the full data and times.

${sections(program).join('\n')}`
}

function sections(command, path = 'carabiner') {
  const inherited = command.parent ? { helpWidth: 110 } : {}
  let help = ''
  command
    .configureHelp({ ...command.configureHelp(), ...inherited })
    .configureOutput({ writeOut: (text) => (help += text) })
    .outputHelp()
  const own = `## ${path}\n\n\`\`\`text\n${relative(help).trimEnd()}\n\`\`\`\n`
  const children = command.commands.filter((child) => child.name() !== 'help')
  return [own, ...children.flatMap((child) => sections(child, `${path} ${child.name()}`))]
}

/** Removes the absolute path of this checkout. */
function relative(help) {
  return help.replaceAll(new URL('..', import.meta.url).pathname, '')
}

function shellOperatorFlags() {
  const rows = Object.entries(scriptFlags).map(
    ([name, { env, default: value, meaning, shellOperatorOnly, withoutEffect, expected }]) => {
      const usual = value === '' ? '' : expected.startsWith('a duration') ? `\`${value / 1000}s\`` : `\`${value}\``
      const what = withoutEffect === undefined ? meaning : `no effect: ${withoutEffect}`
      const variables = env.map((variable) => `\`${variable}\``).join(' ')
      return `| \`--${kebab(name)}\` | ${variables} | ${usual} | ${shellOperatorOnly ? '' : 'yes'} | ${what} |`
    },
  )
  const idle = Object.entries(variablesWithoutEffect).map(([name, why]) => `| | \`${name}\` | | | no effect: ${why} |`)
  return `# Flags of shell-operator

\`carabiner shell-operator\` takes every flag and environment variable of shell-operator. A flag wins over the environment, the environment over the default. Those
with a "yes" are flags of \`carabiner run --hooks-dir\` too; for the others \`run\` has [settings](operator.md) of its own. What is given and has no effect is said in
the log at the start.

| flag | environment | default | \`run\` | meaning |
|---|---|---|---|---|
${[...rows, ...idle].join('\n')}
| \`--debug-unix-socket\` | \`DEBUG_UNIX_SOCKET\` | \`/var/run/shell-operator/debug.socket\` | yes | socket of \`queue\`, \`hook\`, \`config\` and \`raw\` |

Two defaults differ from those of shell-operator: \`--kube-client-qps\` and \`--kube-client-burst\` are 5 and 10 there. Certificates at the usual places are used if they are
there; without them certificates are made, see [hook-webhooks.md](hook-webhooks.md).
`
}

function withSettings(path) {
  const rows = Object.entries(settings).map(
    ([name, { env, default: value, meaning }]) =>
      `| \`${name}\` | \`--${kebab(name)}\` | \`${env}\` | \`${value}\` | ${meaning} |`,
  )
  const table = /(\| setting in the file .*\n\|[-|]+\n)(?:\|.*\n)*/
  return readFileSync(path, 'utf8').replace(table, (_, head) => `${head}${rows.join('\n')}\n`)
}

/** Fields of the policy in one table, those that every hook has in another. */
function withFields(path) {
  const { spec } = rolloutPolicyDefinition.spec.versions[0].schema.openAPIV3Schema.properties
  const hook = spec.properties.lifecycleHooks.items
  const shared = new Set(Object.keys(spec.properties.lifecycle.properties.pre.properties))
  const own = Object.fromEntries(
    Object.entries(hook.properties).filter(([name]) => !shared.has(name) || name === 'failurePolicy'),
  )
  const of = (head) => new RegExp(`(\\| ${head} \\|.*\n\\|[-|]+\n)(?:\\|.*\n)*`)
  const handlers = Object.fromEntries(
    Object.entries(spec.properties.lifecycle.properties).map(([name, { properties, ...rest }]) => [
      name,
      { ...rest, properties: { failurePolicy: properties.failurePolicy } },
    ]),
  )
  const policy = {
    ...spec.properties,
    lifecycle: { ...spec.properties.lifecycle, properties: handlers },
    lifecycleHooks: { ...spec.properties.lifecycleHooks, items: { ...hook, properties: own } },
  }
  const actions = Object.fromEntries(
    Object.entries(hook.properties).filter(([name]) => shared.has(name) && name !== 'failurePolicy'),
  )
  return readFileSync(path, 'utf8')
    .replace(of('field'), (_, head) => `${head}${fieldRows({ ...spec, properties: policy }).join('')}`)
    .replace(of('field of a hook'), (_, head) => `${head}${fieldRows({ properties: actions }).join('')}`)
}

function fieldRows({ properties = {}, required = [] }, path = '') {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const full = `${path}${name}`
    const usual = schema.default === undefined ? '' : `\`${[schema.default].flat().join(', ')}\``
    const fallback = required.includes(name) ? 'required' : usual
    const row =
      schema.description === undefined
        ? []
        : [`| \`${full}\` | ${typeOf(schema)} | ${fallback} | ${schema.description} |\n`]
    return [...row, ...fieldRows(schema, `${full}.`), ...fieldRows(schema.items ?? {}, `${full}[].`)]
  })
}

function typeOf({ type, enum: values, items, ...schema }) {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(' ')
  if (schema['x-kubernetes-int-or-string']) return 'number or text'
  if (type === 'array') return items.enum === undefined ? 'list' : `list of ${typeOf(items)}`
  return { string: 'text', integer: 'number', boolean: 'true or false', object: 'object' }[type]
}
