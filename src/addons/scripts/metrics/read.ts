/**
 * Reads what a hook left in `METRICS_PATH`: JSON objects, one after the other. A hook with one bad line has failed as a whole, so that no half of
 * its metrics is shown.
 */
import { isJsonObject } from '../../../runtime/json.ts'
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
    return { ...none, errors: [`METRICS_PATH: must hold JSON objects: ${place}${whyNoJson(error)}`] }
  }
}

/** The same from documents that are read already. */
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

/** Only the last answer counts when there are errors, so that a half-read operation does no harm. */
function readOperation(fields: Fields): MetricOperation | undefined {
  const group = fields.text('group')
  const given = fields.word('action', ['add', 'set', 'observe', 'expire'])
  if (given === 'expire') {
    if (group === undefined) fields.error('group', 'is required to expire something')
    return { action: 'expire', group: group ?? '' }
  }
  const shortcut = (['add', 'set'] as const).find((key) => fields.has(key))
  const action = given ?? (fields.has('action') ? undefined : shortcut)
  if (action === undefined && !fields.has('action')) fields.error('action', 'is required: add, set, observe or expire')
  const name = fields.required('name')
  if (name !== '' && !metricName.test(name)) fields.error('name', `${shown(name)} is not the name of a metric`)
  const valueKey = given === undefined && shortcut !== undefined ? shortcut : 'value'
  const value = fields.number(valueKey)
  if (!fields.has(valueKey)) fields.error(valueKey, 'is required')
  if (action === 'add' && (value ?? 0) < 0) fields.error(valueKey, `a counter cannot go down by ${shown(value)}`)
  const labels = fields.textMap('labels') ?? {}
  for (const label of Object.keys(labels))
    if (!labelName.test(label)) fields.error('labels', `${shown(label)} is not the name of a label`)
  const buckets = readBuckets(fields)
  const series = { name, value: value ?? 0, labels }
  if (action !== 'observe') return { ...series, action: action ?? 'set', ...(group === undefined ? {} : { group }) }
  if (group !== undefined) fields.error('group', 'cannot be used with observe')
  return { ...series, action, ...(buckets === undefined ? {} : { buckets }) }
}

function readBuckets(fields: Fields): readonly number[] | undefined {
  const buckets = fields.raw('buckets')
  if (buckets === undefined) return undefined
  const isRising =
    Array.isArray(buckets) &&
    buckets.length > 0 &&
    buckets.every((bound, index) => typeof bound === 'number' && (index === 0 || bound > buckets[index - 1]))
  if (isRising) return buckets as number[]
  fields.error('buckets', `must be numbers that rise, not ${shown(buckets)}`)
  return undefined
}
