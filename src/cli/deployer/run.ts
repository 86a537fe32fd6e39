/** `carabiner deployer run`: runs the deployer of a user against the current context. */
import { Command } from 'commander'
import { createTargets, deployersSurface } from '../../deployers/index.ts'
import { ResourceNotServed } from '../../kube/index.ts'
import { install } from '../../operator/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { loadDeployers } from './load.ts'

interface RunOptions extends ClusterOptions {
  readonly install?: boolean
  readonly landscaper?: boolean
  readonly inCluster?: boolean
}

export function runCommand(context: CliContext): Command {
  const run = new Command('run')
    .summary('Run your own deployer against the current context')
    .description(
      'Runs the deployer that a file exports, with your permissions, until it is interrupted. Executions, timeouts and contexts are handled by an operator with deployers, or here with --landscaper.',
    )
    .argument('<file>', 'module whose default export is a deployer or an array of deployers: .js, .mjs or .ts')
    .option('--install', 'first install the resource definitions in the cluster')
    .option('--landscaper', 'also handle executions, timeouts and contexts, when no operator does')
    .option('--in-cluster', 'allow targets with inCluster: true to use your permissions')
  return clusterOptions(run).action((file: string, options: RunOptions) => runDeployer(context, file, options))
}

async function runDeployer(context: CliContext, file: string, options: RunOptions): Promise<void> {
  const { runtime, signal, stdout } = context
  const deployers = await loadDeployers(runtime.files, file)
  const cluster = await connectCluster(context, options, { qps: 500, burst: 1000 })
  try {
    const { client } = cluster
    const surface = deployersSurface({
      deployers: () => deployers.map((deployer) => ({ deployer })),
      targetClients: () => createTargets(runtime, { allowInCluster: options.inCluster === true }),
      landscaper: options.landscaper === true,
    })
    if (options.install === true) await install(client, runtime, [surface], signal)
    const running = await surface.start({ client, runtime, signal }).catch((error: unknown) => {
      if (!(error instanceof ResourceNotServed)) throw error
      const remedy = 'Add --install to install their definitions, or choose another cluster.'
      throw new CarabinerError('CRB_RESOURCE_NOT_SERVED', 'this cluster does not serve deploy items', { remedy })
    })
    const interrupted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([running.ready, interrupted])
    for (const { name, version, type } of signal.aborted ? [] : deployers)
      stdout.write(`deployer ${name} ${version} is ready: items of type ${type}, cluster ${cluster.name}\n`)
    await interrupted
    await running.stop()
  } finally {
    await cluster.close()
  }
}
