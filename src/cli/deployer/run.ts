/** `carabiner deployer run`: runs the deployer of a user against the current context. */
import { hostname } from 'node:os'
import { Command } from 'commander'
import { createTargets, deployersSurface } from '../../deployers/index.ts'
import { ResourceNotServed } from '../../kube/index.ts'
import { install, resolveSettings, startOperator } from '../../operator/index.ts'
import { CarabinerError, sha256Hex } from '../../runtime/index.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { wholeNumber } from '../numbers.ts'
import { loadDeployers } from './load.ts'

interface RunOptions extends ClusterOptions {
  readonly install?: boolean
  readonly landscaper?: boolean
  readonly inCluster?: boolean
  readonly leaderElection: boolean
  readonly leaseNamespace?: string
  readonly leaseName?: string
  readonly listenAddress: string
  readonly listenPort: number
}

export function runCommand(context: CliContext): Command {
  const run = new Command('run')
    .summary('Run your own deployer against the current context')
    .description(
      'Runs the deployer that a file exports, with your permissions, until it is interrupted. Executions, timeouts and contexts are handled by an operator with deployers, or here with --landscaper. Of several processes with the same deployers the holder of their Lease works, and the others stand by.',
    )
    .argument('<file>', 'module whose default export is a deployer or an array of deployers: .js, .mjs or .ts')
    .option('--install', 'first install the resource definitions in the cluster')
    .option('--landscaper', 'also handle executions, timeouts and contexts, when no operator does')
    .option('--in-cluster', 'allow targets with inCluster: true to use your permissions')
    .option('--no-leader-election', 'work without a Lease; only for a single process')
    .option('--lease-namespace <name>', 'namespace of the Lease (default: that of the context)')
    .option('--lease-name <name>', 'name of the Lease (default: from the types of the deployers)')
    .option('--listen-address <address>', 'address of health, readiness and metrics', '127.0.0.1')
    .option('--listen-port <number>', 'port of health, readiness and metrics; 0 takes any free port', wholeNumber(0), 0)
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
    const { leaderElection, listenAddress, listenPort } = options
    const { leaseNamespace = cluster.namespace, leaseName = leaseNameOf(deployers) } = options
    const flags = { leaderElection, leaseNamespace, leaseName, listenAddress, listenPort }
    const operator = await startOperator(
      {
        runtime,
        client,
        settings: resolveSettings({ flags }).values,
        surfaces: [surface],
        identity: `${hostname()}_${runtime.random.uuid()}`,
      },
      signal,
    )
    const place = `cluster ${cluster.name}, http://${listenAddress}:${operator.port}/metrics`
    void operator.ready.then(() => {
      for (const { name, version, type } of deployers)
        stdout.write(`deployer ${name} ${version} is ready: items of type ${type}, ${place}\n`)
    })
    await operator.ended.catch((error: unknown) => {
      if (!(error instanceof ResourceNotServed)) throw error
      const remedy = 'Add --install to install their definitions, or choose another cluster.'
      throw new CarabinerError('CRB_RESOURCE_NOT_SERVED', 'this cluster does not serve deploy items', { remedy })
    })
  } finally {
    await cluster.close()
  }
}

/** The same for all processes with these deployers, and another one for other deployers. */
export function leaseNameOf(deployers: readonly { readonly type: string }[]): string {
  const types = deployers.map(({ type }) => type).sort()
  return `carabiner-deployer-${sha256Hex(types.join(' ')).slice(0, 16)}`
}
