/**
 * Parses the configuration a hook printed. Without `configVersion` it is v0; v1 is validated strictly. An empty document, `disabled:
 * true` or `settings` alone disables the hook.
 */
import type { CompileOptions } from '../../../jq/index.ts'
import { parseYaml } from '../../../kube/manifest/index.ts'
import { isJsonObject } from '../../../runtime/index.ts'
import type { HookScope } from '../hook.ts'
import { Fields } from './fields.ts'
import { Findings, shown } from './findings.ts'
import { mainQueue, readKubernetesBinding, readKubernetesEvent } from './kubernetes.ts'
import { readCrontab, readDuration } from './programs.ts'
import { resolveSnapshots } from './snapshots.ts'
import type { HookConfig, HookSettings, OrderBinding, ScheduleBinding } from './types.ts'
import { readAdmissionBinding, readConversionBinding } from './webhooks.ts'

export interface ParsedConfig {
  /** Only valid without errors. */
  readonly config: HookConfig
  /** Each message names the field and its value. */
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

export interface ParseContext {
  readonly scope: HookScope
  /** Search paths of jq modules. */
  readonly jq: CompileOptions
}

const noSettings: HookSettings = { executionMinInterval: 0, executionBurst: 1 }

const disabledConfig: HookConfig = {
  version: 'v1',
  disabled: true,
  orders: {},
  schedules: [],
  kubernetes: [],
  validating: [],
  mutating: [],
  conversions: [],
  settings: noSettings,
}

const orderBindings: Readonly<Record<HookScope, readonly OrderBinding[]>> = {
  standalone: [],
  global: ['beforeAll', 'afterAll'],
  module: ['beforeHelm', 'afterHelm', 'beforeDeleteHelm', 'afterDeleteHelm'],
}

export function parseConfigText(text: string, context: ParseContext): ParsedConfig {
  if (text.trim() === '') return { config: disabledConfig, errors: [], warnings: [] }
  try {
    const tolerated: string[] = []
    const document = parseJsonOrYaml(text, (problem) => tolerated.push(withoutFile(problem)))
    const parsed = parseConfig(document, context)
    return { ...parsed, warnings: [...tolerated, ...parsed.warnings] }
  } catch (error) {
    const why = withoutFile(error instanceof Error ? error.message : String(error))
    const first = text.trim().slice(0, 80)
    return {
      config: disabledConfig,
      errors: [`the --config output is neither JSON nor YAML: ${why}; it begins with ${shown(first)}`],
      warnings: [],
    }
  }
}

/** The parser names a file, which is `line` here. */
function withoutFile(message: string): string {
  return message.replace(/^line:(?: |(?=\d))/, (start) => (start === 'line:' ? 'line ' : ''))
}

function parseJsonOrYaml(text: string, tolerate: (problem: string) => void): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text)
    } catch {
      // YAML may begin with a brace, too.
    }
  }
  return parseYaml(text, 'line', { tolerate })
}

export function parseConfig(document: unknown, context: ParseContext): ParsedConfig {
  const findings = new Findings()
  const config = readConfig(document, context, findings)
  return { config, errors: findings.errors, warnings: findings.warnings }
}

function readConfig(document: unknown, context: ParseContext, findings: Findings): HookConfig {
  if (document === undefined || document === null || document === '') return disabledConfig
  if (!isJsonObject(document)) {
    const hint = typeof document === 'string' ? '; print other output to standard error (>&2)' : ''
    findings.error('', `the --config output must be an object of bindings, not ${shown(document)}${hint}`)
    return disabledConfig
  }
  if (Object.keys(document).length === 0) return disabledConfig
  const version = document['configVersion']
  if (version === undefined || version === null || version === 'v0')
    return readV0(new Fields(document, '', findings, 'lenient'), context)
  if (version === 'v1') return readV1(new Fields(document, '', findings, 'strict'), context, findings)
  findings.error('configVersion', `${shown(version)} is not known; v1 is the newest`)
  return disabledConfig
}

function readV0(fields: Fields, context: ParseContext): HookConfig {
  fields.raw('configVersion')
  const config: HookConfig = {
    ...disabledConfig,
    version: 'v0',
    disabled: false,
    ...startup(fields.number('onStartup')),
    orders: readOrders(fields, context.scope, 'v0'),
    schedules: fields.objects('schedule').map((entry) => readSchedule(entry, 'v0')),
    kubernetes: fields.objects('onKubernetesEvent').map((entry) => readKubernetesEvent(entry, context.jq)),
  }
  if (fields.hasNoKnownField) fields.findings.error('', 'the --config output contains no binding')
  fields.end()
  return config
}

function readV1(fields: Fields, { scope, jq }: ParseContext, findings: Findings): HookConfig {
  fields.raw('configVersion')
  if (fields.boolean('disabled') === true) return disabledConfig
  const config: HookConfig = {
    ...disabledConfig,
    disabled: false,
    ...startup(fields.integer('onStartup')),
    orders: readOrders(fields, scope, 'v1'),
    schedules: fields.objects('schedule').map((entry) => readSchedule(entry, 'v1')),
    kubernetes: fields.objects('kubernetes').map((entry) => readKubernetesBinding(entry, jq)),
    validating: fields.objects('kubernetesValidating').map(readAdmissionBinding),
    mutating: fields.objects('kubernetesMutating').map(readAdmissionBinding),
    conversions: fields.objects('kubernetesCustomResourceConversion').map(readConversionBinding),
    settings: readSettings(fields.object('settings')),
  }
  const hasSettings = fields.has('settings')
  fields.end()
  // Published hooks switch themselves off by printing nothing but settings.
  if (!hasBinding(config) && hasSettings) return { ...config, disabled: true }
  if (!hasBinding(config) && findings.errors.length === 0)
    findings.error('', 'has no binding; to disable the hook, print "disabled: true" or nothing')
  return resolveSnapshots(config, findings)
}

function startup(order: number | undefined): { readonly onStartup?: number } {
  return order === undefined ? {} : { onStartup: order }
}

function hasBinding({ onStartup, orders, schedules, kubernetes, validating, mutating, conversions }: HookConfig) {
  const lists = [schedules, kubernetes, validating, mutating, conversions]
  return onStartup !== undefined || Object.keys(orders).length > 0 || lists.some((list) => list.length > 0)
}

/** A binding of another kind of hook is ignored with a warning in v0 and an error in v1. */
function readOrders(fields: Fields, scope: HookScope, version: 'v0' | 'v1'): HookConfig['orders'] {
  const orders: Partial<Record<OrderBinding, number>> = {}
  for (const [owner, bindings] of Object.entries(orderBindings)) {
    for (const binding of bindings) {
      if (!fields.has(binding)) continue
      if (owner === scope) {
        const order = version === 'v0' ? fields.number(binding) : fields.integer(binding)
        if (order !== undefined) orders[binding] = order
      } else {
        const text = `belongs to ${owner} hooks, but this is a ${scope} hook`
        if (version === 'v1') fields.error(binding, text)
        else fields.findings.warn(binding, `${text}; ignored`)
      }
    }
  }
  return orders
}

function readSchedule(fields: Fields, version: 'v0' | 'v1'): ScheduleBinding {
  const group = version === 'v1' ? fields.nonEmpty('group') : undefined
  const schedule = {
    name: fields.nonEmpty('name') ?? 'schedule',
    crontab: readCrontab(fields),
    allowFailure: fields.boolean('allowFailure') ?? false,
    queue: (version === 'v1' ? fields.nonEmpty('queue') : undefined) ?? mainQueue,
    includeSnapshotsFrom: (version === 'v1' ? fields.texts('includeSnapshotsFrom') : undefined) ?? [],
    ...(group === undefined ? {} : { group }),
  }
  fields.end()
  return schedule
}

function readSettings(fields: Fields | undefined): HookSettings {
  if (fields === undefined) return noSettings
  const interval = readDuration(fields, 'executionMinInterval')
  if (!fields.has('executionMinInterval')) fields.error('executionMinInterval', 'is required in settings')
  const burst = fields.integer('executionBurst') ?? noSettings.executionBurst
  if (burst < 1) fields.error('executionBurst', `must be at least 1, not ${burst}`)
  fields.end()
  return { executionMinInterval: interval ?? 0, executionBurst: burst }
}
