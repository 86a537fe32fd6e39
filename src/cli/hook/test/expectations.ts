/** Compares the result of a step with its expectations. */
import type { Json, JsonObject } from '../../../runtime/index.ts'
import type { Expectations } from './case.ts'
import { difference } from './difference.ts'
import { type CaseObjects, nameOf, titleOf } from './objects.ts'

/** One run of a hook, with the fields a case can compare. */
export interface SeenRun {
  readonly hook: string
  readonly binding: string
  readonly type: string
  readonly event?: string
  readonly exit: number | string
  readonly failure?: string
  readonly contexts: readonly Json[]
}

export interface StepResult {
  readonly runs: readonly SeenRun[]
  /** Messages of failed runs. */
  readonly failures: readonly string[]
  readonly patches: readonly JsonObject[]
  /** Lines printed by hooks. */
  readonly lines: readonly string[]
  /** All metrics of hooks since the start, in the Prometheus text format. */
  readonly metrics: string
}

export interface Problem {
  /** What was compared. */
  readonly what: string
  readonly lines: readonly string[]
}

export async function problemsIn(
  expect: Expectations,
  result: StepResult,
  objects: CaseObjects,
): Promise<readonly Problem[]> {
  const { runs, failures, patches } = result
  const problems: Problem[] = []
  const note = (what: string, lines: readonly string[]) => {
    if (lines.length > 0) problems.push({ what, lines })
  }
  if (expect.runs === undefined) note('a run failed', failures)
  else {
    const lines = difference(expect.runs.flatMap(repeated), runs.map(withoutContexts(expect.runs)))
    note('runs', lines.length === 0 ? [] : [...lines, ...failures])
  }
  if (expect.patches !== undefined) note('patches', difference([...expect.patches], [...patches]))
  for (const wanted of expect.objects) {
    const name = nameOf(wanted)
    const found = await objects.get(name)
    note(titleOf(name), found === undefined ? ['- exists', '+ does not exist'] : difference(wanted, found))
  }
  for (const name of expect.absent)
    note(titleOf(name), (await objects.get(name)) === undefined ? [] : ['- does not exist', '+ exists'])
  for (const wanted of expect.metrics) note(`metric ${wanted['name']}`, missingMetric(wanted, result.metrics))
  for (const wanted of expect.logs) note('logs', missingLine(wanted, result.lines))
  return problems
}

/** A run is expected to succeed unless exit code or failure are expected. */
function repeated({ count = 1, ...run }: JsonObject): readonly Json[] {
  const isAboutFailure = 'exit' in run || 'failure' in run
  return Array.from({ length: Number(count) }, () => (isAboutFailure ? run : { ...run, exit: 0 }))
}

/** Contexts are long, so they are compared and shown only when a case expects them. */
function withoutContexts(expected: readonly JsonObject[]): (run: SeenRun) => Json {
  const hasContexts = expected.some((run) => 'contexts' in run)
  return ({ contexts, ...run }) => (hasContexts ? { ...run, contexts: [...contexts] } : { ...run })
}

function missingMetric({ name, labels = {}, value }: JsonObject, text: string): readonly string[] {
  const series = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const wanted = Object.entries(labels as JsonObject).map(([label, content]) => `${label}=${JSON.stringify(content)}`)
  const matches = (line: string) =>
    wanted.every((label) => line.includes(`{${label}`) || line.includes(`,${label}`)) &&
    (value === undefined || line.endsWith(`} ${value}`))
  if (series.some(matches)) return []
  const expected = `${name}{${wanted.join(',')}}${value === undefined ? '' : ` ${value}`}`
  return [`- ${expected}`, ...(series.length === 0 ? ['+ no such metric'] : series.map((line) => `+ ${line}`))]
}

/** A text between slashes is a regular expression. */
function missingLine(wanted: string, lines: readonly string[]): readonly string[] {
  const pattern = /^\/(.+)\/$/.exec(wanted)?.[1]
  const matches =
    pattern === undefined ? (line: string) => line.includes(wanted) : (line: string) => new RegExp(pattern).test(line)
  if (lines.some(matches)) return []
  return [`- ${wanted}`, ...(lines.length === 0 ? ['+ nothing was printed'] : lines.map((line) => `+ ${line}`))]
}
