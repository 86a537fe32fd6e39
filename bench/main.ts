/**
 * `npm run bench [name…] [--json] [--peer NAME=BIN]`: runs every bench of this folder, or those named, prints a table (or JSON) and saves the
 * figures of each complete bench in results/. Exits with 1 when a goal is missed. A peer is another operator's program, which does the
 * same work in the benches that support it.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { type Bench, BenchContext, type Figure, type Peer } from './harness.ts'
import { wantedParts } from './parts/wanted.ts'

const folder = new URL('.', import.meta.url)
const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, peer: { type: 'string', multiple: true } },
})
const peers = (flags.peer ?? []).map(peerOf)

const available = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !['main.ts', 'harness.ts'].includes(file))
  .map((file) => file.slice(0, -'.ts'.length))
const unknown = names.filter((name) => !available.includes(name))
if (unknown.length > 0) {
  console.error(`no bench named ${unknown.join(', ')}; there are: ${available.join(', ')}`)
  process.exit(2)
}

// Results of some parts only, or with a peer, are not saved as the results of the bench.
const isWhole = wantedParts() === undefined && peers.length === 0
const figures: Figure[] = []
for (const name of names.length > 0 ? names : available) {
  const bench = ((await import(new URL(`${name}.ts`, folder).href)) as { default: Bench }).default
  const context = new BenchContext(bench.name, peers)
  await bench.run(context)
  figures.push(...context.figures)
  if (isWhole && context.isWhole && context.figures.length > 0)
    writeFileSync(new URL(`results/${name}.md`, folder), page(name, context.figures))
}

if (flags.json) console.log(JSON.stringify({ machine: machine(), figures }, null, 2))
else console.log(table(figures))
process.exit(figures.some((figure) => figure.holds === false) ? 1 : 0)

function peerOf(text: string): Peer {
  const at = text.indexOf('=')
  if (at > 0) return { name: text.slice(0, at), program: text.slice(at + 1) }
  console.error(`--peer takes NAME=BIN, not ${text}`)
  process.exit(2)
}

function machine(): Record<string, string> {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return { node: process.version, cores: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`, memory }
}

function rows(all: readonly Figure[]): string[][] {
  return all.map(({ bench, name, value, unit, goal, holds }) => {
    const wanted =
      goal?.atMost !== undefined ? `≤ ${goal.atMost}` : goal?.atLeast !== undefined ? `≥ ${goal.atLeast}` : ''
    return [bench, name, `${format(value)} ${unit}`, wanted, holds === undefined ? '' : holds ? 'holds' : 'MISSED']
  })
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

function table(all: readonly Figure[]): string {
  const lines = [['bench', 'figure', 'value', 'goal', ''], ...rows(all)]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function page(name: string, all: readonly Figure[]): string {
  const facts = Object.entries(machine())
    .map(([key, value]) => `${key}: ${value}`)
    .join(' · ')
  const body = rows(all)
    .map(([, ...cells]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
  return `# ${name}: the last whole run\n\nWritten by \`npm run bench ${name}\`. Machine: ${facts}\n\n| figure | value | goal | |\n|---|---|---|---|\n${body}\n`
}
