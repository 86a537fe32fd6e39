/** Holds what happened in a step against what was expected of it. */
import type { Json, JsonObject } from '../../../runtime/json.ts'
import type { Expectations } from './case.ts'
import { difference } from './difference.ts'
import { type CaseObjects, nameOf, titleOf } from './objects.ts'

/** One run of a hook, in the fields that a case may name. */
export interface SeenRun {
  readonly hook: string
  readonly binding: string
  readonly type: string
  readonly event?: string
  readonly exit: number | string
  readonly failure?: string
  readonly contexts: readonly Json[]
}

export interface Happened {
  readonly runs: readonly SeenRun[]
  /** Why runs failed, in words. */
  readonly complaints: readonly string[]
  readonly patches: readonly JsonObject[]
  /** Lines that hooks printed. */
  readonly lines: readonly string[]
  /** All metrics of hooks so far, in the Prometheus text format. */
  readonly metrics: string
}

export interface Problem {
  /** What was looked at. */
  readonly what: string
  readonly lines: readonly string[]
}

export async function problemsIn(
  expect: Expectations,
  happened: Happened,
  objects: CaseObjects,
): Promise<readonly Problem[]> {
  const { runs, complaints, patches } = happened
  const problems: Problem[] = []
  const note = (what: string, lines: readonly string[]) => {
    if (lines.length > 0) problems.push({ what, lines })
  }
  if (expect.runs === undefined) note('a run failed', complaints)
  else {
    const lines = difference(expect.runs.flatMap(repeated), runs.map(brief(expect.runs)))
    note('runs', lines.length === 0 ? [] : [...lines, ...complaints])
  }
  if (expect.patches !== undefined) note('patches', difference([...expect.patches], [...patches]))
  for (const wanted of expect.objects) {
    const name = nameOf(wanted)
    const found = await objects.get(name)
    note(titleOf(name), found === undefined ? ['- it is there', '+ it is not there'] : difference(wanted, found))
  }
  for (const name of expect.absent)
    note(titleOf(name), (await objects.get(name)) === undefined ? [] : ['- it is not there', '+ it is there'])
  for (const wanted of expect.metrics) note(`metric ${wanted['name']}`, missingMetric(wanted, happened.metrics))
  for (const wanted of expect.logs) note('logs', missingLine(wanted, happened.lines))
  return problems
}

/** A run of which nothing else is said is expected to succeed. */
function repeated({ count = 1, ...run }: JsonObject): readonly Json[] {
  const isAboutFailure = 'exit' in run || 'failure' in run
  return Array.from({ length: Number(count) }, () => (isAboutFailure ? run : { ...run, exit: 0 }))
}

/** Contexts are long; they are shown where somebody asked for them. */
function brief(expected: readonly JsonObject[]): (run: SeenRun) => Json {
  const isAsked = expected.some((run) => 'contexts' in run)
  return ({ contexts, ...run }) => (isAsked ? { ...run, contexts: [...contexts] } : { ...run })
}

function missingMetric({ name, labels = {}, value }: JsonObject, text: string): readonly string[] {
  const series = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const wanted = Object.entries(labels as JsonObject).map(([label, content]) => `${label}=${JSON.stringify(content)}`)
  const isMeant = (line: string) =>
    wanted.every((label) => line.includes(`{${label}`) || line.includes(`,${label}`)) &&
    (value === undefined || line.endsWith(`} ${value}`))
  if (series.some(isMeant)) return []
  const expected = `${name}{${wanted.join(',')}}${value === undefined ? '' : ` ${value}`}`
  return [`- ${expected}`, ...(series.length === 0 ? ['+ no such metric'] : series.map((line) => `+ ${line}`))]
}

/** A text between slashes is a regular expression. */
function missingLine(wanted: string, lines: readonly string[]): readonly string[] {
  const pattern = /^\/(.+)\/$/.exec(wanted)?.[1]
  const isMeant =
    pattern === undefined ? (line: string) => line.includes(wanted) : (line: string) => new RegExp(pattern).test(line)
  if (lines.some(isMeant)) return []
  return [`- ${wanted}`, ...(lines.length === 0 ? ['+ nothing was printed'] : lines.map((line) => `+ ${line}`))]
}
