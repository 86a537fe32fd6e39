/**
 * The flags of script hooks: one table with every flag and environment variable of shell-operator, what it is unless given, and what it means here.
 * The commands, the resolution and the reference page are made from it.
 */
import { parseDuration } from '../../cron/duration.ts'

export interface ScriptFlag<T> {
  /** Environment variables; the first that is set counts. */
  readonly env: readonly string[]
  readonly default: T
  readonly meaning: string
  /** What the value looks like in help texts; switches may stand alone. */
  readonly value: string
  /** `run` has a flag of its own for it, or does not need it. */
  readonly shellOperatorOnly?: true
  /** Why nothing comes of it. */
  readonly withoutEffect?: string
  /** Undefined when it cannot be read. */
  parse(text: string): T | undefined
  /** What is expected, for whoever wrote something else. */
  readonly expected: string
}

type More = Partial<Pick<ScriptFlag<unknown>, 'shellOperatorOnly' | 'withoutEffect'>>

const own: More = { shellOperatorOnly: true }

export function text(
  env: string | readonly string[],
  value: string,
  meaning: string,
  more: More = {},
): ScriptFlag<string> {
  const parse = (given: string) => given
  return { env: [env].flat(), default: value, meaning, value: '<value>', parse, expected: 'a text', ...more }
}

interface Range {
  readonly expected: string
  has(value: number): boolean
}

const anyNumber: Range = { expected: 'a number', has: () => true }
const notNegative: Range = { expected: 'a number', has: (value) => value >= 0 }
const positive: Range = { expected: 'a number above 0', has: (value) => value > 0 }
/** As client-go takes it, except for 0: that is 5 there and reads like no limit. */
const rate: Range = { expected: 'a number above 0, or below 0 for no limit', has: (value) => value !== 0 }

export function number(
  env: string,
  value: number,
  meaning: string,
  more: More = {},
  { expected, has }: Range = notNegative,
): ScriptFlag<number> {
  const parse = (given: string) => (/^-?\d+(\.\d+)?$/.test(given) && has(Number(given)) ? Number(given) : undefined)
  return { env: [env], default: value, meaning, value: '<number>', parse, expected, ...more }
}

function choice(env: string, meaning: string, more: More = {}): ScriptFlag<boolean> {
  const parse = (given: string) => words.get(given.toLowerCase())
  return { env: [env], default: false, meaning, value: '[choice]', parse, expected: 'yes or no', ...more }
}

const words = new Map([
  ...['true', 'yes', 't', '1', ''].map((word) => [word, true] as const),
  ...['false', 'no', 'f', '0'].map((word) => [word, false] as const),
])

/** In milliseconds; 0 is none. */
export function duration(env: string, value: number, meaning: string, more: More = {}): ScriptFlag<number> {
  const expected = 'a duration such as 90s'
  return { env: [env], default: value, meaning, value: '<duration>', parse: parseDuration, expected, ...more }
}

function oneOf<T extends string>(
  env: string,
  value: T,
  all: readonly T[],
  meaning: string,
  more: More = {},
): ScriptFlag<T> {
  const parse = (given: string) => all.find((word) => word.toLowerCase() === given.toLowerCase())
  const told = `${meaning}: ${all.join(', ')}`
  return { env: [env], default: value, meaning: told, value: '<word>', parse, expected: all.join(' or '), ...more }
}

/** The part that both servers have. */
function server<N extends string>(name: N, service: string, port: number) {
  const env = `${name.toUpperCase()}_WEBHOOK`
  const folder = `/${name}-certs`
  const flags = {
    ServiceName: text(`${env}_SERVICE_NAME`, service, 'name of the Service through which the API server gets here'),
    ServerCert: text(
      `${env}_SERVER_CERT`,
      `${folder}/tls.crt`,
      'certificate to serve with; read again when it changes',
    ),
    ServerKey: text(`${env}_SERVER_KEY`, `${folder}/tls.key`, 'key of the certificate'),
    Ca: text(`${env}_CA`, `${folder}/ca.crt`, 'authority that the API server is told to believe'),
    ClientCa: text(`${env}_CLIENT_CA`, '', 'authorities of clients, separated by commas; others are refused'),
    ListenPort: number(`${env}_LISTEN_PORT`, port, 'port to listen on; 0 takes any free one'),
    ListenAddress: text(
      `${env}_LISTEN_ADDRESS`,
      '0.0.0.0',
      'address to listen on; outside a cluster also to be called at',
    ),
  }
  type Flags = typeof flags
  const entries = Object.entries(flags).map(([suffix, flag]) => [`${name}Webhook${suffix}`, flag])
  return Object.fromEntries(entries) as {
    readonly [K in keyof Flags as `${N}Webhook${K & string}`]: Flags[K]
  }
}

const oneLimit: More = {
  ...own,
  withoutEffect: 'requests for objects count towards --kube-client-qps like all others',
}

export const scriptFlags = {
  hooksDir: text('SHELL_OPERATOR_HOOKS_DIR', 'hooks', 'folder of hooks'),
  tmpDir: text(
    ['SHELL_OPERATOR_TMP_DIR', 'ADDON_OPERATOR_TMP_DIR'],
    '/tmp/shell-operator',
    'folder for the files of runs; of addon-operator hooks `/tmp/addon-operator`',
  ),
  listenAddress: text('SHELL_OPERATOR_LISTEN_ADDRESS', '0.0.0.0', 'address of metrics and health', own),
  listenPort: number('SHELL_OPERATOR_LISTEN_PORT', 9115, 'port of metrics and health; 0 takes any free one', own),
  prometheusMetricsPrefix: text(
    ['SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX', 'ADDON_OPERATOR_PROMETHEUS_METRICS_PREFIX'],
    'shell_operator_',
    'in front of the names of metrics; of addon-operator hooks `addon_operator_`',
  ),
  namespace: text(
    ['SHELL_OPERATOR_NAMESPACE', 'ADDON_OPERATOR_NAMESPACE'],
    '',
    'namespace of the operator, where the Services of webhooks are; without it that of the pod',
  ),
  kubeContext: text('KUBE_CONTEXT', '', 'context of the kubeconfig', own),
  kubeConfig: text('KUBE_CONFIG', '', 'kubeconfig; without it `KUBECONFIG`, `~/.kube/config`, the pod’s own', own),
  kubeServer: text('KUBE_SERVER', '', 'address of the API server, instead of the one in the kubeconfig', own),
  kubeClientQps: number(
    'KUBE_CLIENT_QPS',
    200,
    'requests to the API server per second, at most; below 0 there is no limit, whatever the burst',
    own,
    rate,
  ),
  kubeClientBurst: number('KUBE_CLIENT_BURST', 400, 'requests that may be made at once, at most', own, positive),
  objectPatcherKubeClientQps: number('OBJECT_PATCHER_KUBE_CLIENT_QPS', 5, '', oneLimit, anyNumber),
  objectPatcherKubeClientBurst: number('OBJECT_PATCHER_KUBE_CLIENT_BURST', 10, '', oneLimit, anyNumber),
  objectPatcherKubeClientTimeout: duration('OBJECT_PATCHER_KUBE_CLIENT_TIMEOUT', 10_000, '', {
    ...own,
    withoutEffect: 'a request ends when the API server ends it',
  }),
  validatingWebhookConfigurationName: text(
    'VALIDATING_WEBHOOK_CONFIGURATION_NAME',
    'shell-operator-hooks',
    'name of both webhook configurations',
  ),
  validatingWebhookFailurePolicy: oneOf(
    'VALIDATING_WEBHOOK_FAILURE_POLICY',
    'Fail',
    ['Fail', 'Ignore'],
    'what becomes of objects when nobody answers, where a binding says nothing',
  ),
  ...server('validating', 'shell-operator-validating-svc', 9680),
  ...server('conversion', 'shell-operator-conversion-svc', 9681),
  logLevel: oneOf('LOG_LEVEL', 'info', ['debug', 'info', 'warn', 'error'], 'how much is logged', own),
  logType: oneOf('LOG_TYPE', 'text', ['text', 'json', 'color'], 'form of the log', own),
  logNoTime: choice('LOG_NO_TIME', 'leave out the time of each line', own),
  logProxyHookJson: choice('LOG_PROXY_HOOK_JSON', 'merge lines of JSON that hooks print into the log'),
  jqLibraryPath: text('JQ_LIBRARY_PATH', '', 'folder with modules for jq filters'),
  debugHttpAddr: text('DEBUG_HTTP_SERVER_ADDR', '', 'HOST:PORT that answers what the debug socket answers'),
  debugKeepTmpFiles: choice('DEBUG_KEEP_TMP_FILES', 'leave the files of every run where they are'),
  debugKubernetesApi: choice('DEBUG_KUBERNETES_API', '', {
    ...own,
    withoutEffect: '`--log-level debug` tells what is asked of the API server',
  }),
  hookMetricsEverywhere: choice(
    'CARABINER_HOOK_METRICS_EVERYWHERE',
    'serve metrics of hooks at `/metrics` too, and not only at `/metrics/hooks`',
  ),
  hookTimeout: duration('CARABINER_HOOK_TIMEOUT', 0, 'how long a run may take; 0 is for ever'),
  skipInvalidHooks: choice(
    'CARABINER_SKIP_INVALID_HOOKS',
    'leave out hooks that cannot be loaded instead of refusing to start',
  ),
}

/** Variables that shell-operator has no flags for. */
export const variablesWithoutEffect: Readonly<Record<string, string>> = {
  QUEUE_ACTIONS_METRICS: 'such metrics are not made',
  TRACING_OTLP_ENDPOINT: 'traces are sent where `OTEL_EXPORTER_OTLP_ENDPOINT` says',
  TRACING_OTLP_AUTH_TOKEN: 'traces are sent where `OTEL_EXPORTER_OTLP_ENDPOINT` says',
}

export type ScriptFlagName = keyof typeof scriptFlags
export type ScriptValues = { readonly [K in ScriptFlagName]: (typeof scriptFlags)[K]['default'] }
