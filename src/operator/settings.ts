/**
 * The operator's settings: one table with flag, environment variable, default and meaning, and one function that resolves them.
 * Flags win over the environment, the environment over the file, the file over the defaults. The source of every value is kept for
 * `--print-config`.
 */
import { isNamespaceName, isObjectName } from '../kube/index.ts'
import { CarabinerError } from '../runtime/index.ts'

export type SettingValue = string | number | boolean

interface Setting<T extends SettingValue> {
  readonly env: string
  readonly default: T
  readonly meaning: string
  /** Returns what is wrong with a value, or undefined. */
  readonly check: Check<T>
}

type Check<T> = (value: T) => string | undefined

function text(env: string, value: string, meaning: string, check: Check<string> = () => undefined): Setting<string> {
  return { env, default: value, meaning, check }
}

function number(env: string, value: number, meaning: string, check: Check<number>): Setting<number> {
  return { env, default: value, meaning, check }
}

function choice(env: string, value: boolean, meaning: string): Setting<boolean> {
  return { env, default: value, meaning, check: () => undefined }
}

function port(value: number): string | undefined {
  return Number.isInteger(value) && value >= 0 && value <= 65_535 ? undefined : 'must be a whole number from 0 to 65535'
}

function positive(value: number): string | undefined {
  return value > 0 ? undefined : 'must be more than 0'
}

function rate(value: number): string | undefined {
  return value === 0 ? 'must be more than 0, or less than 0 for no limit' : undefined
}

function oneOf(...words: string[]): (value: string) => string | undefined {
  return (value) => (words.includes(value) ? undefined : `must be one of ${words.join(', ')}`)
}

/** The API server refuses other names; without this check the operator would retry the Lease without end. */
function objectName(value: string): string | undefined {
  if (isObjectName(value)) return undefined
  return 'must consist of lower-case letters, digits, - and ., start and end with a letter or digit, and have at most 253 characters'
}

function namespaceName(value: string): string | undefined {
  if (isNamespaceName(value)) return undefined
  return 'must consist of lower-case letters, digits and -, start and end with a letter or digit, and have at most 63 characters'
}

function serviceOrNone(value: string): string | undefined {
  const [namespace = '', name = '', ...more] = value.split('/')
  // Names of Services follow the rules for names of namespaces.
  const isService = isNamespaceName(namespace) && isNamespaceName(name) && more.length === 0
  return value === 'none' || isService ? undefined : 'must be NAMESPACE/NAME or none'
}

export const settings = {
  listenAddress: text('CARABINER_LISTEN_ADDRESS', '127.0.0.1', 'address of health, readiness and metrics'),
  listenPort: number(
    'CARABINER_LISTEN_PORT',
    9115,
    'port of health, readiness and metrics; 0 takes any free port',
    port,
  ),
  leaderElection: choice(
    'CARABINER_LEADER_ELECTION',
    true,
    'do work only while holding the Lease, so that other replicas can stand by',
  ),
  leaseNamespace: text('CARABINER_LEASE_NAMESPACE', 'default', 'namespace of the Lease', namespaceName),
  leaseName: text('CARABINER_LEASE_NAME', 'carabiner', 'name of the Lease', objectName),
  requestsPerSecond: number(
    'CARABINER_REQUESTS_PER_SECOND',
    500,
    'requests per second to the API server, on average; a negative value means no limit and disables the burst',
    rate,
  ),
  requestBurst: number(
    'CARABINER_REQUEST_BURST',
    1000,
    'requests that may be sent at once before the rate limit applies',
    positive,
  ),
  gate: text(
    'CARABINER_GATE',
    'auto',
    'how rollouts are held: policies, webhook, at-rest, or auto for the best gate the cluster supports',
    oneOf('auto', 'policies', 'webhook', 'at-rest'),
  ),
  gateAddress: text('CARABINER_GATE_ADDRESS', '127.0.0.1', 'address on which the webhook of the gate listens'),
  gatePort: number(
    'CARABINER_GATE_PORT',
    0,
    'port on which the webhook of the gate listens; 0 takes any free port',
    port,
  ),
  gateHost: text(
    'CARABINER_GATE_HOST',
    '127.0.0.1',
    'host name or address at which the API server reaches the webhook when there is no Service',
  ),
  gateService: text(
    'CARABINER_GATE_SERVICE',
    'none',
    'NAMESPACE/NAME of the Service in front of the webhook when the operator runs in the cluster, or none',
    serviceOrNone,
  ),
  logLevel: text('CARABINER_LOG_LEVEL', 'info', 'debug, info, warn or error', oneOf('debug', 'info', 'warn', 'error')),
  logFormat: text(
    'CARABINER_LOG_FORMAT',
    'auto',
    'json, text, or auto for text on a terminal and json elsewhere',
    oneOf('json', 'text', 'auto'),
  ),
  shutdownSeconds: number(
    'CARABINER_SHUTDOWN_SECONDS',
    25,
    'how many seconds running work may take to finish at shutdown',
    positive,
  ),
} as const

export type SettingName = keyof typeof settings

export type OperatorSettings = { readonly [K in SettingName]: (typeof settings)[K]['default'] }

export type SettingSource = 'flag' | 'environment' | 'file' | 'default'

export interface ResolvedSettings {
  readonly values: OperatorSettings
  readonly sources: Readonly<Record<SettingName, SettingSource>>
}

export interface SettingInputs {
  readonly flags?: Readonly<Partial<Record<string, SettingValue | undefined>>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly file?: { readonly path: string; readonly content: Readonly<Record<string, unknown>> }
}

export function resolveSettings({ flags = {}, env = {}, file }: SettingInputs): ResolvedSettings {
  const values: Record<string, SettingValue> = {}
  const sources: Record<string, SettingSource> = {}
  rejectUnknown(file)
  for (const [name, setting] of Object.entries(settings) as [SettingName, Setting<SettingValue>][]) {
    const [source, place, raw] = firstGiven(
      ['flag', `flag --${kebab(name)}`, flags[name]],
      ['environment', `environment variable ${setting.env}`, env[setting.env]],
      ['file', `${file?.path ?? ''}: ${name}`, file?.content[name]],
      ['default', 'default', setting.default],
    )
    values[name] = convert(raw, setting, place)
    sources[name] = source
  }
  return { values: values as unknown as OperatorSettings, sources: sources as Record<SettingName, SettingSource> }
}

/** `listenPort` as it is written on the command line: `listen-port`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

type Candidate = [source: SettingSource, place: string, value: unknown]

function firstGiven(...candidates: [...Candidate[], Candidate]): Candidate {
  return candidates.find(([, , value]) => value !== undefined && value !== '') ?? (candidates.at(-1) as Candidate)
}

function convert(raw: unknown, setting: Setting<SettingValue>, place: string): SettingValue {
  const value = parse(raw, typeof setting.default)
  if (value === undefined) throw invalid(place, raw, `must be a ${typeof setting.default}`)
  const complaint = setting.check(value)
  if (complaint !== undefined) throw invalid(place, raw, complaint)
  return value
}

function parse(raw: unknown, type: string): SettingValue | undefined {
  if (type === 'number') {
    const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  if (type === 'boolean') {
    if (typeof raw === 'boolean') return raw
    return raw === 'true' ? true : raw === 'false' ? false : undefined
  }
  return typeof raw === 'string' ? raw : undefined
}

function invalid(place: string, raw: unknown, complaint: string): CarabinerError {
  return new CarabinerError('CRB_SETTING_INVALID', `${place} ${complaint}, but is ${JSON.stringify(raw)}`)
}

function rejectUnknown(file: SettingInputs['file']): void {
  const unknown = Object.keys(file?.content ?? {}).filter((name) => !(name in settings))
  if (unknown.length === 0) return
  const known = Object.keys(settings).join(', ')
  throw new CarabinerError('CRB_SETTING_INVALID', `${file?.path}: no such setting: ${unknown.join(', ')}`, {
    remedy: `Remove it or correct its spelling; the settings are ${known}.`,
  })
}
