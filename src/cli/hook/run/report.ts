/** Formats the result of a run as text or data. Values of Secrets are never shown. */
import type { MetricOperation, ObjectOperation, RunResult } from '../../../addons/scripts/index.ts'
import { toYaml } from '../../../kube/manifest/index.ts'
import { type LogFields, redact, redacted } from '../../../runtime/index.ts'
import type { Paint } from '../../terminal/paint.ts'

/** A patch in the form in which hooks write it. */
export function shownPatch(operation: ObjectOperation): LogFields {
  const { ignoreHookError, ...rest } = operation
  const filter = rest.operation === 'JQPatch' ? { jqFilter: rest.jqFilter.source } : {}
  // A patch of a Secret contains secret values.
  const isSecret = 'kind' in rest && /^secrets?$/i.test(rest.kind)
  const change = (['mergePatch', 'jsonPatch'] as const).filter((key) => key in rest && isSecret)
  const hidden = Object.fromEntries(change.map((key) => [key, redacted]))
  return redact({ ...rest, ...filter, ...hidden, ...(ignoreHookError ? { ignoreHookError } : {}) })
}

/** For example `CreateOrUpdate ConfigMap shop/team`. */
export function patchTitle(operation: ObjectOperation): string {
  const { operation: word } = operation
  const target = 'object' in operation ? { kind: operation.object.kind, ...operation.object.metadata } : operation
  const place = target.namespace === undefined ? '' : `${target.namespace}/`
  const subresource = operation.subresource === undefined ? '' : ` (${operation.subresource})`
  return `${word} ${target.kind} ${place}${target.name}${subresource}`
}

/** For example `set shop_orders{state="new"} 3`. */
export function metricLine(operation: MetricOperation): string {
  if (operation.action === 'expire') return `expire group ${operation.group}`
  const { action, name, value, labels } = operation
  const shown = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
  const group = 'group' in operation && operation.group !== undefined ? `  in group ${operation.group}` : ''
  return `${action} ${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}${group}`
}

export interface Report {
  readonly hook: string
  readonly result: RunResult
  /** Lines the hook printed. */
  readonly output: readonly { readonly stream: string; readonly text: string }[]
  /** Set when patches were applied, with the errors. */
  readonly applied?: { readonly cluster: string; readonly problems: readonly string[] }
}

export function asData({ hook, result, output, applied }: Report): object {
  const { exit, failure, patches, metrics, answers } = result
  return {
    hook,
    succeeded: failure === undefined && (applied?.problems.length ?? 0) === 0,
    ...(exit === undefined ? {} : { exit: { ...exit } }),
    ...(failure === undefined ? {} : { failure }),
    output,
    patches: patches.map(shownPatch),
    metrics,
    ...(answers.admission === '' ? {} : { admissionResponse: answers.admission }),
    ...(answers.conversion === '' ? {} : { conversionResponse: answers.conversion }),
    ...(applied === undefined ? {} : { applied }),
  }
}

export function asText({ hook, result, applied }: Report, colour: Paint): string {
  const { failure, duration, patches, metrics, answers } = result
  const time = `${Math.round(duration)} ms`
  const end =
    failure === undefined
      ? `${colour.green('succeeded')} after ${time}`
      : `${colour.red('failed')} after ${time}:${reasonLines(failure.message)}`
  return [
    `${colour.bold(hook)} ${end}`,
    ...section(
      patchesHead(patches.length, applied),
      patches.map((patch) => `${patchTitle(patch)}\n${indented(detail(patch), 2)}`),
    ),
    ...(applied?.problems ?? []).map((problem) => `  ${colour.red('not applied')} ${problem}`),
    ...section(`${counted(metrics.length, 'metric')}:`, metrics.map(metricLine)),
    ...section('admission response:', answers.admission === '' ? [] : [answers.admission.trim()]),
    ...section('conversion response:', answers.conversion === '' ? [] : [answers.conversion.trim()]),
    ...(patches.length + metrics.length === 0 && failure === undefined ? ['no patches, no metrics'] : []),
    '',
  ].join('\n')
}

/** A message with several lines starts on the next line. */
function reasonLines(message: string): string {
  return message.includes('\n') ? `\n${indented(message, 2)}` : ` ${message}`
}

function patchesHead(count: number, applied: Report['applied']): string {
  const patches = counted(count, 'patch', 'patches')
  if (applied === undefined) return `${patches}, not applied (use --apply):`
  const succeeded = count - applied.problems.length
  return succeeded === count
    ? `${patches}, applied to ${applied.cluster}:`
    : `${succeeded} of ${patches} applied to ${applied.cluster}:`
}

function detail(patch: ObjectOperation): string {
  const { operation: _, kind: __, name: ___, namespace: ____, object, ...rest } = shownPatch(patch)
  const text = toYaml(object ?? rest)
  return text.trim() === '{}' ? '' : text.trimEnd()
}

function section(head: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : ['', head, ...items.map((item) => indented(item, 2).trimEnd())]
}

function indented(text: string, width: number): string {
  return text === '' ? '' : text.replace(/^(?=.)/gm, ' '.repeat(width))
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
