/** `carabiner run`: the operator against the current context. */
import { hostname } from 'node:os'
import { Command, Option } from 'commander'
import { parseYaml } from '../../kube/manifest/index.ts'
import { install } from '../../operator/install.ts'
import { startOperator } from '../../operator/operator.ts'
import {
  kebab,
  type OperatorSettings,
  type ResolvedSettings,
  resolveSettings,
  settings,
} from '../../operator/settings.ts'
import type { Surface } from '../../operator/surface.ts'
import type { Timer } from '../../runtime/clock.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Files } from '../../runtime/files.ts'
import { isJsonObject } from '../../runtime/json.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { releaseMemory } from '../../runtime/real/memory.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { table } from '../terminal/table.ts'
import { type DeployerOptions, deployerOptions } from './deployer-options.ts'
import { logLevelOf } from './log-level.ts'
import { type ScriptOptions, scriptOptions, scriptSurfaces } from './scripts.ts'

/** Milliseconds after which everything that was found at the start has been worked on once. */
const settleTime = 10_000

interface RunOptions extends ClusterOptions, ScriptOptions, DeployerOptions {
  readonly config?: string
  readonly printConfig?: boolean
  readonly install?: boolean
  readonly rollouts?: boolean
}

async function surfacesOf(
  { install = false, rollouts, ...options }: RunOptions,
  values: OperatorSettings,
  runtime: Runtime,
): Promise<readonly Surface[]> {
  // Each is loaded only when it is asked for: what is not loaded takes neither time nor memory.
  const asked = [...(await scriptSurfaces(options, runtime)), ...(await wantedDeployers(options, runtime.files))]
  // Whoever brings hooks of another operator, or deployers, has not asked for anything else.
  if (!(rollouts ?? asked.length === 0)) return asked
  const [{ rolloutsSurface }, { gateOptions }] = await Promise.all([
    import('../../rollouts/index.ts'),
    import('../gate.ts'),
  ])
  return [rolloutsSurface(gateOptions(values, install)), ...asked]
}

async function wantedDeployers(options: DeployerOptions, files: Files): Promise<readonly Surface[]> {
  if (options.deployers === undefined && options.deployersConfig === undefined) return []
  const { deployerSurfaces } = await import('./deployers.ts')
  return deployerSurfaces(options, files)
}

export function command(context: CliContext): Command {
  const run = new Command('run')
    .description('Runs the operator against the current kubeconfig context until it is interrupted.')
    .option('--config <file>', 'YAML file with settings; flags and environment win over it')
    .option('--print-config', 'print every setting, its value and where it comes from, and end')
    .option('--install', 'first put resource definitions and gates into the cluster')
    .option('--rollouts', 'run hooks around rollouts (default: unless there are script hooks or deployers)')
    .option('--no-rollouts', 'run without hooks around rollouts')
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
    .action(async (options: RunOptions & Record<string, never>) => {
      const resolved = resolveSettings({
        flags: options,
        env: context.runtime.env,
        ...(await readFile(context, options.config)),
      })
      if (options.printConfig) context.stdout.write(printed(resolved))
      else await operate(context, options, resolved)
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
  if (!isJsonObject(content)) throw new CarabinerError('CRB_SETTING_INVALID', `${path}: must hold settings by name`)
  return { file: { path, content } }
}

function printed({ values, sources }: ResolvedSettings): string {
  const rows = Object.entries(values).map(([name, value]) => [
    name,
    String(value),
    sources[name as keyof typeof sources],
  ])
  return table(['setting', 'value', 'from'], rows)
}

async function operate(context: CliContext, options: RunOptions, resolved: ResolvedSettings): Promise<void> {
  const { values } = resolved
  const format = values.logFormat === 'auto' ? (context.stderr.isTerminal ? 'text' : 'json') : values.logFormat
  const runtime = createRealRuntime({
    log: { level: logLevelOf(resolved, context.runtime.env, options.debug), format: format as 'json' },
  })
  const cluster = await connectCluster({ ...context, runtime }, options, {
    qps: values.requestsPerSecond,
    burst: values.requestBurst,
  })
  let tidying: Timer | undefined
  try {
    const version = (await cluster.client.raw('GET', '/version')) as { gitVersion: string }
    const surfaces = await surfacesOf(options, values, runtime)
    if (options.install) await install(cluster.client, runtime, surfaces, context.signal)
    const identity = `${hostname()}_${runtime.random.uuid()}`
    const operator = await startOperator(
      { runtime, client: cluster.client, settings: values, surfaces, identity },
      context.signal,
    )
    void operator.ready.then(() => {
      const names = surfaces.map(({ name }) => name).join(', ') || 'none'
      context.stdout.write(
        `carabiner is ready: cluster ${cluster.name} (${version.gitVersion}), surfaces ${names}, http://${values.listenAddress}:${operator.port}/metrics\n`,
      )
      tidying = runtime.clock.after(settleTime, releaseMemory)
    })
    await operator.ended
  } finally {
    tidying?.cancel()
    await cluster.close()
    await runtime.close()
  }
}
