/** The YAML format of a hook test case: the objects in the cluster, the changes step by step, and the expected result of each step. */
import { Fields, Findings, shown } from '../../../addons/scripts/index.ts'
import { parseYamlDocuments } from '../../../kube/manifest/index.ts'
import { CarabinerError, isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { duration } from '../../../sandbox/index.ts'

export interface TestCase {
  readonly file: string
  readonly name: string
  /** Names of the hooks to load; undefined means all. */
  readonly hooks: readonly string[] | undefined
  /** Wall-clock time of the cluster at the start of the hooks. */
  readonly time: number
  /** Number of nodes that run pods; with 0, the case sets the status of pods. */
  readonly nodes: number
  readonly given: readonly JsonObject[]
  readonly steps: readonly Step[]
}

export interface Step {
  /** Executed in the order of the fields. */
  readonly create: readonly JsonObject[]
  readonly update: readonly JsonObject[]
  readonly delete: readonly ObjectName[]
  /** Milliseconds. */
  readonly wait: number
  readonly expect: Expectations
}

export interface ObjectName {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** Undefined fields are not checked. Only fields that are present in an expected object are compared. */
export interface Expectations {
  readonly runs: readonly JsonObject[] | undefined
  readonly patches: readonly JsonObject[] | undefined
  readonly objects: readonly JsonObject[]
  readonly absent: readonly ObjectName[]
  readonly metrics: readonly JsonObject[]
  readonly logs: readonly string[]
}

const noExpectations: Expectations = {
  runs: undefined,
  patches: undefined,
  objects: [],
  absent: [],
  metrics: [],
  logs: [],
}

/** A step without actions and expectations. */
export const emptyStep: Step = { create: [], update: [], delete: [], wait: 0, expect: noExpectations }

const newYear = '2026-01-01T00:00:00Z'

export function readCases(text: string, file: string): readonly TestCase[] {
  const findings = new Findings()
  const cases = parseYamlDocuments(text, file).flatMap((document, index) => {
    if (document === undefined || document === null) return []
    const place = index === 0 ? '' : `document ${index + 1}`
    if (isJsonObject(document)) return [readCase(new Fields(document, place, findings, 'strict'), file)]
    findings.error(place, `must be a test case, not ${shown(document)}`)
    return []
  })
  if (findings.errors.length === 0 && cases.length > 0) return cases
  const problems = cases.length === 0 && findings.errors.length === 0 ? ['contains no test case'] : findings.errors
  throw new CarabinerError('CRB_TEST_CASE_INVALID', `${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
}

function readCase(fields: Fields, file: string): TestCase {
  const time = fields.text('time') ?? newYear
  if (Number.isNaN(Date.parse(time))) fields.error('time', `must be a time such as ${newYear}, not ${shown(time)}`)
  const read = {
    file,
    name: fields.text('name') ?? file.replace(/^.*\//, ''),
    hooks: fields.texts('hooks'),
    time: Date.parse(time),
    nodes: fields.integer('nodes') ?? 0,
    given: objects(fields, 'given', ['apiVersion', 'kind']),
    steps: fields.objects('steps').map(readStep),
  }
  if (!fields.has('steps')) fields.error('steps', 'is required: the actions and expectations of the case')
  fields.end()
  return read
}

function readStep(fields: Fields): Step {
  const wait = fields.raw('wait')
  const milliseconds = wait === undefined ? 0 : duration(String(wait))
  if (milliseconds === undefined) fields.error('wait', `must be a time such as 30s or 1h30m, not ${shown(wait)}`)
  const read = {
    create: objects(fields, 'create', ['apiVersion', 'kind']),
    update: objects(fields, 'update', ['kind']),
    delete: names(fields, 'delete'),
    wait: milliseconds ?? 0,
    expect: readExpectations(fields.object('expect')),
  }
  fields.end()
  return read
}

function readExpectations(fields: Fields | undefined): Expectations {
  if (fields === undefined) return noExpectations
  const runs = items(fields, 'runs')
  for (const [index, run] of (runs ?? []).entries()) readRun(run, `${fields.at('runs')}[${index}]`, fields)
  const read = {
    runs,
    patches: items(fields, 'patches'),
    objects: objects(fields, 'objects', ['kind']),
    absent: names(fields, 'absent'),
    metrics: items(fields, 'metrics') ?? [],
    logs: fields.texts('logs') ?? [],
  }
  for (const [index, { name }] of read.metrics.entries())
    if (typeof name !== 'string') fields.error(`metrics[${index}].name`, 'is required')
  fields.end()
  return read
}

const runFields = ['hook', 'binding', 'type', 'event', 'count', 'exit', 'failure', 'contexts']

function readRun(run: JsonObject, path: string, { findings }: Fields): void {
  const fields = new Fields(run, path, findings, 'strict')
  for (const field of runFields) fields.raw(field)
  const count = fields.integer('count')
  if (count !== undefined && count < 1) fields.error('count', 'must be 1 or more; write runs: [] when no hook runs')
  fields.end()
}

/** A list of objects, which may be empty, or a single object. */
function items(fields: Fields, key: string): readonly JsonObject[] | undefined {
  const value = fields.raw(key)
  if (value === undefined) return undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item, index) => {
    if (isJsonObject(item)) return [item]
    fields.error(`${key}[${index}]`, `must be an object, not ${shown(item)}`)
    return []
  })
}

function objects(fields: Fields, key: string, required: readonly string[]): readonly JsonObject[] {
  const list = items(fields, key) ?? []
  for (const [index, object] of list.entries()) {
    const { metadata } = object
    const missing = required.filter((field) => typeof object[field] !== 'string')
    if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string') missing.push('metadata.name')
    if (missing.length > 0) fields.error(`${key}[${index}]`, `has no ${missing.join(' and no ')}`)
  }
  return list
}

function names(fields: Fields, key: string): readonly ObjectName[] {
  return (items(fields, key) ?? []).map((item, index) => {
    const own = new Fields(item, `${fields.at(key)}[${index}]`, fields.findings, 'strict')
    const [apiVersion, namespace] = [own.text('apiVersion'), own.text('namespace')]
    const name = {
      kind: own.required('kind'),
      name: own.required('name'),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...(namespace === undefined ? {} : { namespace }),
    }
    own.end()
    return name
  })
}
