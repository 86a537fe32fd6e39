/**
 * Records what the rollouts engine sends to the API server, run by run, so that two versions of it can be compared: every scenario with
 * every fault at every position, and rollouts drawn from numbers. A line of the recording names a run and has a hash of its requests (verb,
 * path, body, in order) and of its end state.
 *
 *   npx tsx test/faults/rollout-traces.ts record FILE [--stride 1] [--numbers 100] [--only TEXT] [--text FOLDER] [--mask]
 *   npx tsx test/faults/rollout-traces.ts compare FILE OTHER
 *   npx tsx test/faults/rollout-traces.ts worlds [--numbers 20]
 *
 * `worlds` refreshes src/rollouts/decide/recorded-worlds.jsonl: one world for each situation, kind of workload and set of writes that the plays contain.
 *
 * `--stride` takes every so many positions, `--only` the scenarios whose name contains the text, `--text` writes the requests of each run to a file,
 * `--mask` leaves texts for people (messages, notes) out of the hashes.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { faults } from '../../src/cli/rollout/simulation/engines.ts'
import { type RecordedWorld, recordWorld } from '../../src/rollouts/decide/recorded.ts'
import { startEngine } from '../../src/rollouts/loop/engine.ts'
import type { OnDecided } from '../../src/rollouts/loop/reconcile.ts'
import { expectChanceSound } from './rollout-chance.ts'
import { disturbRollout, playPlain } from './rollout-disturb.ts'
import { scenarios } from './rollout-scenarios.ts'
import { type Outcome, playScenario, type SentRequest, type WorldOptions } from './rollout-world.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    stride: { type: 'string', default: '1' },
    numbers: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
    text: { type: 'string' },
    mask: { type: 'boolean', default: false },
  },
})

/** Fields whose values are texts for people. */
const texts = new Set(['message', 'note', 'openshift.io/deployment.cancelled'])

function lineOf({ method, target, body }: SentRequest): string {
  if (body === undefined) return `${method} ${target}`
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array)
  return `${method} ${target} ${values.mask ? masked(text) : text}`
}

function masked(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, (key, value) => (texts.has(key) ? '' : value)))
  } catch {
    return text
  }
}

/** Events, logs and the journal are sent in the background: their order counts among themselves, and not against the engine's other requests. */
const streams = [/\/events\b/, /\/log\?|\/configmaps\b/, /(?:)/]

function traceOf({ requests, ending }: Outcome): string {
  const streamOf = ({ target }: SentRequest) => streams.findIndex((stream) => stream.test(target))
  const inStreams = streams.flatMap((_, index) => requests.filter((request) => streamOf(request) === index))
  const end = JSON.stringify(ending, (key, value) => (values.mask && texts.has(key) ? '' : value))
  return `${[...inStreams.map(lineOf), end].join('\n')}\n`
}

async function record(file: string): Promise<void> {
  const lines: string[] = []
  const note = (name: string, outcome: Outcome) => {
    const trace = traceOf(outcome)
    const hash = createHash('sha256').update(trace).digest('hex').slice(0, 16)
    lines.push(`${hash} ${outcome.writes} writes ${outcome.requests.length} requests  ${name}`)
    if (values.text !== undefined)
      writeFileSync(join(values.text, `${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}.txt`), trace)
  }
  if (values.text !== undefined) mkdirSync(values.text, { recursive: true })
  for (const scenario of scenarios.filter(({ name }) => name.includes(values.only))) {
    const plain = await playPlain(scenario)
    note(`${scenario.name}: with policy: undisturbed`, plain.withPolicy.outcome)
    note(`${scenario.name}: without policy: undisturbed`, plain.withoutPolicy.outcome)
    for (const fault of faults)
      await disturbRollout(scenario, plain, fault, {
        stride: Number(values.stride),
        whole: 8,
        onRun: (what, outcome) => note(`${scenario.name}: ${what}`, outcome),
      })
  }
  for (let number = 1; number <= Number(values.numbers); number++)
    note(`number ${number}`, await expectChanceSound(number))
  writeFileSync(file, `${lines.join('\n')}\n`)
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${lines.length} runs recorded in ${Math.round((user + system) / 1e6)} CPU seconds\n`)
}

function compare(file: string, other: string): void {
  const read = (path: string) =>
    new Map(
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line): [string, string] => [line.slice(line.indexOf('  ') + 2), line.slice(0, line.indexOf('  '))]),
    )
  const [before, after] = [read(file), read(other)]
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const different = names.filter((name) => before.get(name) !== after.get(name))
  for (const name of different.slice(0, 20))
    process.stdout.write(
      `different: ${name}\n  ${before.get(name) ?? 'no such run'}\n  ${after.get(name) ?? 'no such run'}\n`,
    )
  process.stdout.write(`${names.length} runs compared, ${names.length - different.length} equal\n`)
  if (different.length > 0) process.exitCode = 1
}

/** Writes that do not tell one decision from another. */
const besides: ReadonlySet<string> = new Set([
  ...['event', 'annotate-revision', 'remove-leftover', 'retire-leftover', 'remove-stray', 'clear-requests'],
])

/** The repository keeps so many worlds of each situation and kind of workload, those with the fewest kinds of writes first. */
const maxOfSituation = 2

function isOneTooMany(key: string, keys: readonly string[]): boolean {
  const alike = keys.filter((other) => other.split(' ', 2).join() === key.split(' ', 2).join())
  return alike.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).indexOf(key) >= maxOfSituation
}

async function recordWorlds(): Promise<void> {
  const recorded = new Map<string, RecordedWorld>()
  const onDecided: OnDecided = (world, now, decided) => {
    const entry = recordWorld(world, now, decided)
    const essential = entry.writes.filter((kind) => !besides.has(kind))
    const key = [entry.situation, world.policy.spec.targetRef.kind, ...new Set(essential)].join(' ')
    // Of several worlds the smallest is stored.
    const known = recorded.get(key)
    if (known === undefined || JSON.stringify(entry).length < JSON.stringify(known).length) recorded.set(key, entry)
  }
  const run: WorldOptions['run'] = (client, runtime, signal) =>
    startEngine(client, runtime, signal, { onDecided }).ended
  for (const scenario of scenarios) await playScenario(scenario, 1, { run })
  for (let number = 1; number <= Number(values.numbers); number++) await expectChanceSound(number, { run })
  for (const key of recorded.keys()) if (isOneTooMany(key, [...recorded.keys()])) recorded.delete(key)
  const sorted = [...recorded].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => JSON.stringify(entry))
  writeFileSync(new URL('../../src/rollouts/decide/recorded-worlds.jsonl', import.meta.url), `${sorted.join('\n')}\n`)
  process.stdout.write(`${sorted.length} worlds, ${Math.round(sorted.join('\n').length / 1024)} KiB\n`)
}

const [command, file = '', other = ''] = positionals
if (command === 'record') await record(file)
else if (command === 'compare') compare(file, other)
else if (command === 'worlds') await recordWorlds()
else throw new Error('usage: rollout-traces.ts record FILE | compare FILE OTHER | worlds')
