/** `carabiner run`: the operator against the current context. */
import { Command, Option } from 'commander'
import { parseYaml } from '../../kube/manifest/index.ts'
import {
  kebab,
  type OperatorSettings,
  type ResolvedSettings,
  resolveSettings,
  type Surface,
  settings,
} from '../../operator/index.ts'
import { CarabinerError, type Files, isJsonObject, type Runtime } from '../../runtime/index.ts'
import { type ClusterOptions, type ConnectedCluster, clusterOptions } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import type { Display } from '../terminal/display.ts'
import { table } from '../terminal/table.ts'
import { type DeployerOptions, deployerOptions } from './deployer-options.ts'
import { debugOf, logLevelOf } from './log-level.ts'
import { operate } from './operate.ts'
import { layoutOf, type ScriptOptions, scriptOptions, scriptSurfaces, withListenVariables } from './scripts.ts'

interface RunOptions extends ClusterOptions, ScriptOptions, DeployerOptions {
  readonly config?: string
  readonly printConfig?: boolean
  readonly install?: boolean
  readonly rollouts?: boolean
}

/** A surface is loaded only when it is used, to save time and memory. */
async function otherSurfaces(options: RunOptions, runtime: Runtime, podNamespace: string): Promise<readonly Surface[]> {
  return [
    ...(await scriptSurfaces(options, runtime, podNamespace)),
    ...(await deployerSurfaces(options, runtime.files)),
  ]
}

/** With script hooks or deployers, rollouts run only on request. */
function runsRollouts(options: RunOptions, env: Runtime['env']): boolean {
  const { rollouts, deployers, deployersConfig } = options
  const isAlone = deployers === undefined && deployersConfig === undefined && layoutOf(options, env) === undefined
  return rollouts ?? isAlone
}

function rolloutsOf(context: CliContext, { install = false }: RunOptions, settings: OperatorSettings) {
  return async (cluster: ConnectedCluster, runtime: Runtime) => {
    const { actingRollouts } = await import('./rollouts.ts')
    const say = (line: string) => context.stdout.write(`${line}\n`)
    return actingRollouts(cluster, runtime, { settings, install, signal: context.signal, say })
  }
}

async function deployerSurfaces(options: DeployerOptions, files: Files): Promise<readonly Surface[]> {
  if (options.deployers === undefined && options.deployersConfig === undefined) return []
  const { readDeployers } = await import('./deployers.ts')
  return (await readDeployers(options, files)).surfaces
}

export function command(context: CliContext): Command {
  const run = new Command('run')
    .description('Runs the operator against the current kubeconfig context until it is interrupted.')
    .option('--config <file>', 'YAML file with settings; flags and environment variables win over it')
    .option('--print-config', 'print every setting with its value and its source, then exit')
    .option('--install', 'first install resource definitions and gates in the cluster')
    .option('--rollouts', 'run rollout hooks (default: unless there are script hooks or deployers)')
    .option('--no-rollouts', 'run without rollout hooks')
  scriptOptions(run)
  deployerOptions(run)
  clusterOptions(run)
  for (const [name, { env, default: value, meaning }] of Object.entries(settings))
    run.addOption(settingOption(name, env, value, meaning))
  return run
    .addHelpText(
      'after',
      '\nFlags win over the environment, the environment over the file, the file over the defaults.',
    )
    .action(async (options: RunOptions & Record<string, never>, command: Command) => {
      const resolved = resolveSettings({
        flags: options,
        env: withListenVariables(context.runtime.env),
        ...(await readFile(context, options.config)),
      })
      if (options.printConfig) {
        context.stdout.write(printed(resolved, context.stdout))
        return
      }
      const { values } = resolved
      // With script hooks, logs go to standard output as in shell-operator.
      const hasPrograms = layoutOf(options, context.runtime.env) !== undefined
      const to = hasPrograms ? 'stdout' : 'stderr'
      const format = values.logFormat === 'auto' ? (context[to].isTerminal ? 'text' : 'json') : values.logFormat
      await operate(context, {
        settings: values,
        cluster: options,
        hasPrograms,
        install: options.install ?? false,
        log: { to, level: logLevelOf(resolved, context.runtime.env, debugOf(command)), format: format as 'json' },
        surfaces: (runtime, podNamespace) => otherSurfaces(options, runtime, podNamespace),
        ...(runsRollouts(options, context.runtime.env) ? { rollouts: rolloutsOf(context, options, values) } : {}),
      })
    })
}

function settingOption(name: string, env: string, value: string | number | boolean, meaning: string): Option {
  const flags =
    typeof value === 'boolean'
      ? `--${kebab(name)} [choice]`
      : `--${kebab(name)} <${typeof value === 'number' ? 'number' : 'value'}>`
  return new Option(flags, `${meaning} (env: ${env}, default: ${value})`)
}

async function readFile(context: CliContext, path: string | undefined) {
  if (path === undefined) return {}
  const content = parseYaml(await context.runtime.files.readText(path), path) ?? {}
  if (!isJsonObject(content)) throw new CarabinerError('CRB_SETTING_INVALID', `${path}: must be a mapping of settings`)
  return { file: { path, content } }
}

function printed({ values, sources }: ResolvedSettings, display: Display): string {
  const rows = Object.entries(values).map(([name, value]) => [
    name,
    String(value),
    sources[name as keyof typeof sources],
  ])
  return table(['setting', 'value', 'from'], rows, display)
}
