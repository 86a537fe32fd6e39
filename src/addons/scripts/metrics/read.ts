/** Parses `METRICS_PATH`: a stream of JSON objects. One invalid line fails the whole run, so that metrics are never applied partially. */
import { isJsonObject } from '../../../runtime/index.ts'
import { Fields } from '../config/fields.ts'
import { Findings, shown } from '../config/findings.ts'
import { brokenLine, readJsonStream, whyNoJson } from '../json-stream.ts'
import type { MetricOperation } from './operation.ts'

export interface ReadMetrics {
  readonly operations: readonly MetricOperation[]
  readonly errors: readonly string[]
}

const none: ReadMetrics = { operations: [], errors: [] }

export function readMetrics(text: string): ReadMetrics {
  if (text === '') return none
  try {
    return readMetricDocuments(readJsonStream(text))
  } catch (error) {
    const broken = brokenLine(text)
    const place = broken === undefined ? '' : `line ${broken.number}: ${shown(broken.text)}: `
    return { ...none, errors: [`METRICS_PATH: must contain JSON objects: ${place}${whyNoJson(error)}`] }
  }
}

/** The same for parsed documents. */
export function readMetricDocuments(documents: readonly unknown[]): ReadMetrics {
  const findings = new Findings()
  const operations = documents.flatMap((document, index) => {
    const place = `METRICS_PATH[${index}]`
    if (isJsonObject(document)) return readOperation(new Fields(document, place, findings, 'lenient')) ?? []
    findings.error(place, `must be an object, not ${shown(document)}`)
    return []
  })
  return { operations, errors: findings.errors }
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** The result is ignored when there are errors. */
function readOperation(fields: Fields): MetricOperation | undefined {
  const group = fields.nonEmpty('group')
  const given = fields.choice('action', ['add', 'set', 'observe', 'expire'])
  if (given === 'expire') {
    if (group === undefined) fields.error('group', 'is required with expire')
    return { action: 'expire', group: group ?? '' }
  }
  const shortcut = (['add', 'set'] as const).find((key) => fields.has(key))
  const action = given ?? (fields.has('action') ? undefined : shortcut)
  if (action === undefined && !fields.has('action')) fields.error('action', 'is required: add, set, observe or expire')
  const name = readName(fields)
  const value = readValue(fields, given === undefined && shortcut !== undefined ? shortcut : 'value', action)
  const labels = readLabels(fields)
  const buckets = readBuckets(fields)
  const series = { name, value, labels }
  if (action !== 'observe') return { ...series, action: action ?? 'set', ...(group === undefined ? {} : { group }) }
  if (group !== undefined) fields.error('group', 'cannot be used with observe')
  return { ...series, action, ...(buckets === undefined ? {} : { buckets }) }
}

function readName(fields: Fields): string {
  const name = fields.required('name')
  if (name !== '' && !metricName.test(name)) fields.error('name', `${shown(name)} is not a valid metric name`)
  return name
}

function readValue(fields: Fields, key: string, action: string | undefined): number {
  const value = fields.number(key)
  if (!fields.has(key)) fields.error(key, 'is required')
  if (action === 'add' && (value ?? 0) < 0) fields.error(key, `a counter cannot decrease by ${shown(value)}`)
  return value ?? 0
}

function readLabels(fields: Fields): Readonly<Record<string, string>> {
  const labels = fields.textMap('labels', '') ?? {}
  for (const label of Object.keys(labels))
    if (!labelName.test(label)) fields.error('labels', `${shown(label)} is not a valid label name`)
  return labels
}

function readBuckets(fields: Fields): readonly number[] | undefined {
  const buckets = fields.raw('buckets')
  if (buckets === undefined) return undefined
  const isAscending =
    Array.isArray(buckets) &&
    buckets.length > 0 &&
    buckets.every((bound, index) => typeof bound === 'number' && (index === 0 || bound > buckets[index - 1]))
  if (isAscending) return buckets as number[]
  fields.error('buckets', `must be ascending numbers, not ${shown(buckets)}`)
  return undefined
}
