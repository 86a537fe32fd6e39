/**
 * The flags of script hooks: one table with every flag and environment variable of shell-operator, its default and its meaning. The commands,
 * the resolution and the reference page are generated from it.
 */
import { parseDuration } from '../../cron/index.ts'

export interface ScriptFlag<T> {
  /** Environment variables; the first that is set counts. */
  readonly env: readonly string[]
  readonly default: T
  readonly meaning: string
  /** The placeholder of the value in help texts; the value of a switch is optional. */
  readonly value: string
  /** `carabiner run` has another flag for it, or does not need it. */
  readonly shellOperatorOnly?: true
  /** Why the flag has no effect. */
  readonly withoutEffect?: string
  /** Undefined when the text is not valid. */
  parse(text: string): T | undefined
  /** The expected form, for error messages. */
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
/** As in client-go, except that 0 is rejected: in client-go 0 means 5, which looks like no limit. */
const rate: Range = { expected: 'a number above 0, or below 0 for no limit', has: (value) => value !== 0 }

export function number(
  env: string,
  value: number,
  meaning: string,
  { range: { expected, has } = notNegative, ...more }: More & { readonly range?: Range } = {},
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

/** In milliseconds; 0 means none. */
export function duration(env: string, value: number, meaning: string, more: More = {}): ScriptFlag<number> {
  const expected = 'a duration such as 90s'
  return { env: [env], default: value, meaning, value: '<duration>', parse: parseDuration, expected, ...more }
}

function oneOf<T extends string>(
  env: string,
  meaning: string,
  { default: value, all, ...more }: More & { readonly default: NoInfer<T>; readonly all: readonly T[] },
): ScriptFlag<T> {
  const parse = (given: string) => all.find((word) => word.toLowerCase() === given.toLowerCase())
  const withChoices = `${meaning}: ${all.join(', ')}`
  return {
    env: [env],
    default: value,
    meaning: withChoices,
    value: '<word>',
    parse,
    expected: all.join(' or '),
    ...more,
  }
}

/** The flags that both webhook servers have. */
function server<N extends string>(name: N, service: string, port: number) {
  const env = `${name.toUpperCase()}_WEBHOOK`
  const folder = `/${name}-certs`
  const flags = {
    ServiceName: text(
      `${env}_SERVICE_NAME`,
      service,
      'name of the Service through which the API server reaches the webhook',
    ),
    ServerCert: text(`${env}_SERVER_CERT`, `${folder}/tls.crt`, 'server certificate; reloaded when it changes'),
    ServerKey: text(`${env}_SERVER_KEY`, `${folder}/tls.key`, 'private key of the server certificate'),
    Ca: text(`${env}_CA`, `${folder}/ca.crt`, 'CA bundle for the API server to verify the certificate'),
    ClientCa: text(
      `${env}_CLIENT_CA`,
      '',
      'CA files for client certificates, separated by commas; other clients are refused',
    ),
    ListenPort: number(`${env}_LISTEN_PORT`, port, 'port to listen on; 0 takes any free port'),
    ListenAddress: text(
      `${env}_LISTEN_ADDRESS`,
      '0.0.0.0',
      'address to listen on; outside a cluster the API server calls it, too',
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
  withoutEffect: 'requests of object patches count towards --kube-client-qps',
}

export const scriptFlags = {
  hooksDir: text('SHELL_OPERATOR_HOOKS_DIR', 'hooks', 'folder of hooks'),
  tmpDir: text(
    ['SHELL_OPERATOR_TMP_DIR', 'ADDON_OPERATOR_TMP_DIR'],
    '/tmp/shell-operator',
    'folder for the files of runs; `/tmp/addon-operator` for addon-operator hooks; without root `carabiner run` uses `runs` in the folder of its debug socket',
  ),
  listenAddress: text('SHELL_OPERATOR_LISTEN_ADDRESS', '0.0.0.0', 'address of metrics and health', own),
  listenPort: number('SHELL_OPERATOR_LISTEN_PORT', 9115, 'port of metrics and health; 0 takes any free port', own),
  prometheusMetricsPrefix: text(
    ['SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX', 'ADDON_OPERATOR_PROMETHEUS_METRICS_PREFIX'],
    'shell_operator_',
    'prefix of metric names; `addon_operator_` for addon-operator hooks',
  ),
  namespace: text(
    ['SHELL_OPERATOR_NAMESPACE', 'ADDON_OPERATOR_NAMESPACE'],
    '',
    'namespace of the operator and of the webhook Services; by default the namespace of the pod',
  ),
  kubeContext: text('KUBE_CONTEXT', '', 'context of the kubeconfig', own),
  kubeConfig: text(
    'KUBE_CONFIG',
    '',
    'kubeconfig; by default `KUBECONFIG`, then `~/.kube/config`, then the service account of the pod',
    own,
  ),
  kubeServer: text('KUBE_SERVER', '', 'address of the API server, instead of the one in the kubeconfig', own),
  kubeClientQps: number(
    'KUBE_CLIENT_QPS',
    200,
    'maximum requests per second to the API server; a negative value means no limit and disables the burst',
    { ...own, range: rate },
  ),
  kubeClientBurst: number('KUBE_CLIENT_BURST', 400, 'maximum requests sent at once before the rate limit applies', {
    ...own,
    range: positive,
  }),
  objectPatcherKubeClientQps: number('OBJECT_PATCHER_KUBE_CLIENT_QPS', 5, '', { ...oneLimit, range: anyNumber }),
  objectPatcherKubeClientBurst: number('OBJECT_PATCHER_KUBE_CLIENT_BURST', 10, '', { ...oneLimit, range: anyNumber }),
  objectPatcherKubeClientTimeout: duration('OBJECT_PATCHER_KUBE_CLIENT_TIMEOUT', 10_000, '', {
    ...own,
    withoutEffect: 'a request ends only when the API server ends it',
  }),
  validatingWebhookConfigurationName: text(
    'VALIDATING_WEBHOOK_CONFIGURATION_NAME',
    'shell-operator-hooks',
    'name of both webhook configurations',
  ),
  validatingWebhookFailurePolicy: oneOf(
    'VALIDATING_WEBHOOK_FAILURE_POLICY',
    'default failurePolicy of bindings: what the API server does when the webhook does not answer',
    { default: 'Fail', all: ['Fail', 'Ignore'] },
  ),
  ...server('validating', 'shell-operator-validating-svc', 9680),
  ...server('conversion', 'shell-operator-conversion-svc', 9681),
  logLevel: oneOf('LOG_LEVEL', 'log level', { ...own, default: 'info', all: ['debug', 'info', 'warn', 'error'] }),
  logType: oneOf('LOG_TYPE', 'log format', { ...own, default: 'text', all: ['text', 'json', 'color'] }),
  logNoTime: choice('LOG_NO_TIME', 'omit the time of log lines', own),
  logProxyHookJson: choice('LOG_PROXY_HOOK_JSON', 'merge the fields of JSON lines printed by hooks into the log lines'),
  jqLibraryPath: text('JQ_LIBRARY_PATH', '', 'folder with modules for jq filters'),
  debugHttpAddr: text(
    'DEBUG_HTTP_SERVER_ADDR',
    '',
    'HOST:PORT on which the debug endpoints are served in addition to the socket',
  ),
  debugKeepTmpFiles: choice('DEBUG_KEEP_TMP_FILES', 'keep the temporary files of every run'),
  debugKubernetesApi: choice('DEBUG_KUBERNETES_API', '', {
    ...own,
    withoutEffect: '`--log-level debug` logs the requests to the API server',
  }),
  hookMetricsEverywhere: choice(
    'CARABINER_HOOK_METRICS_EVERYWHERE',
    'serve metrics of hooks at `/metrics`, too, and not only at `/metrics/hooks`',
  ),
  hookTimeout: duration('CARABINER_HOOK_TIMEOUT', 0, 'maximum duration of a run; 0 means no limit'),
  skipInvalidHooks: choice(
    'CARABINER_SKIP_INVALID_HOOKS',
    'skip hooks that cannot be loaded instead of refusing to start',
  ),
}

/** Variables for which shell-operator has no flags. */
export const variablesWithoutEffect: Readonly<Record<string, string>> = {
  QUEUE_ACTIONS_METRICS: 'these metrics are not collected',
  TRACING_OTLP_ENDPOINT: 'traces are sent to `OTEL_EXPORTER_OTLP_ENDPOINT`',
  TRACING_OTLP_AUTH_TOKEN: 'traces are sent to `OTEL_EXPORTER_OTLP_ENDPOINT`',
}

export type ScriptFlagName = keyof typeof scriptFlags
export type ScriptValues = { readonly [K in ScriptFlagName]: (typeof scriptFlags)[K]['default'] }
