/** `carabiner install`: applies or prints the operator, its RBAC rules and the objects of its surfaces. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { isNamespaceName, type KubeObject } from '../../kube/index.ts'
import { toYaml } from '../../kube/manifest/index.ts'
import { applyAll, type OperatorSettings, resolveSettings, type Surface } from '../../operator/index.ts'
import { configurationFolder, manifests, type WorkloadOptions } from '../../operator/manifests/index.ts'
import { bestGate, type GateKind, gateKinds, removeOtherGates, rolloutsSurface } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { gateOptions } from '../gate.ts'
import { wholeNumber } from '../numbers.ts'
import { programVersion } from '../program-version.ts'
import { type DeployerOptions, deployerOptions } from '../run/deployer-options.ts'
import { refuseSecondOperator } from './operators.ts'
import { refuseRemainingGate } from './remaining-gate.ts'

interface InstallOptions extends ClusterOptions, DeployerOptions {
  readonly print?: boolean
  readonly output: 'yaml' | 'json'
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  readonly gate: GateKind | 'auto'
  readonly rollouts: boolean
}

export function command(context: CliContext): Command {
  const install = new Command('install')
    .description(
      'Installs the resource definitions, the operator with its RBAC rules and the gate in the cluster of the current context. With --print nothing is changed.',
    )
    .option('--print', 'print the manifests instead of applying them')
    .addOption(
      new Option('-o, --output <format>', 'output format of --print').choices(['yaml', 'json']).default('yaml'),
    )
    .option('-n, --namespace <name>', 'namespace of the operator', namespaceName, 'carabiner')
    .option('--image <image>', 'image of the operator', imageName, `carabiner:${programVersion()}`)
    .option('--replicas <number>', 'number of replicas; one is leader, the others stand by', wholeNumber(1), 2)
    .addOption(
      new Option('--gate <kind>', 'how rollouts are held; auto selects the best gate the cluster supports')
        .choices(['auto', ...gateKinds])
        .default('auto'),
    )
    .option('--no-rollouts', 'install without rollout hooks: no policies, no gate')
  deployerOptions(install)
  return clusterOptions(install)
    .addHelpText(
      'after',
      '\nExamples:\n  carabiner install --print --gate policies > carabiner.yaml   no cluster needed\n  carabiner install --print | kubectl apply -f -\n  carabiner install --no-rollouts --deployers manifest,helm\n',
    )
    .action(async (options: InstallOptions) => {
      const deployers = await deployersFor(context, options)
      if (!options.rollouts && deployers.surfaces.length === 0)
        throw new CarabinerError('CRB_SETTING_INVALID', 'flag --no-rollouts leaves nothing to install', {
          remedy: 'Add deployers with --deployers or --deployers-config, or omit the flag.',
        })
      const gate = options.rollouts ? options.gate : 'at-rest'
      if (options.print && gate !== 'auto') print(context, options, objectsFor(options, gate, deployers))
      else await inCluster(context, options, gate, deployers)
    })
}

/** The parts of the installation that deployers need. */
type Deployers = Pick<WorkloadOptions, 'args' | 'files' | 'hasScratch'> & { readonly surfaces: readonly Surface[] }

async function deployersFor({ runtime }: CliContext, options: InstallOptions): Promise<Deployers> {
  const { deployers: names, deployersConfig: path } = options
  if (names === undefined && path === undefined) return { surfaces: [] }
  const { readDeployers } = await import('../run/deployers.ts')
  const { surfaces, configuration } = await readDeployers(options, runtime.files)
  // Always explicit: `carabiner run` turns rollouts off by default when there are deployers.
  const rollouts = options.rollouts ? '--rollouts' : '--no-rollouts'
  // Helm writes files to /tmp.
  const common = { surfaces, hasScratch: true }
  if (configuration === undefined) return { ...common, args: [rollouts, '--deployers', names ?? ''] }
  const file = 'deployers.yaml'
  return {
    ...common,
    args: [rollouts, '--deployers-config', `${configurationFolder}/${file}`],
    files: { [file]: configuration },
  }
}

async function inCluster(
  context: CliContext,
  options: InstallOptions,
  gate: InstallOptions['gate'],
  deployers: Deployers,
): Promise<void> {
  const cluster = await connectCluster(context, options)
  try {
    const { client } = cluster
    if (!options.print)
      await (options.rollouts ? refuseSecondOperator : refuseRemainingGate)(client, operatorId(options))
    const objects = objectsFor(options, gate === 'auto' ? await bestGate(client) : gate, deployers)
    if (options.print) return print(context, options, objects)
    const onApplied = ({ kind, metadata }: KubeObject) =>
      context.stdout.write(`${kind.toLowerCase()}/${metadata.name} applied\n`)
    await applyAll(client, context.runtime, objects, { signal: context.signal, onApplied })
    const others = options.rollouts ? await removeOtherGates(client, context.runtime, objects, context.signal) : []
    for (const { kind, name } of others)
      context.stdout.write(`${kind.toLowerCase()}/${name} removed: it belongs to another gate or version\n`)
    context.stdout.write(
      `\nNext:\n  kubectl rollout status -n ${options.namespace} deployment/carabiner\n  carabiner doctor\n`,
    )
  } finally {
    await cluster.close()
  }
}

function operatorId({ namespace }: Pick<InstallOptions, 'namespace'>) {
  return { namespace, name: 'carabiner' }
}

function objectsFor(
  { namespace, image, replicas, rollouts }: InstallOptions,
  gate: GateKind,
  { surfaces, ...workload }: Deployers,
): readonly KubeObject[] {
  const operator = operatorId({ namespace })
  const given: Partial<OperatorSettings> = {
    // Probes and Prometheus connect from outside the pod.
    listenAddress: '0.0.0.0',
    leaseNamespace: namespace,
    ...(rollouts ? { gate } : {}),
    ...(gate === 'webhook'
      ? { gateAddress: '0.0.0.0', gatePort: 9443, gateService: `${namespace}/${operator.name}` }
      : {}),
  }
  const { values } = resolveSettings({ flags: given })
  const all = [...(rollouts ? [rolloutsSurface(gateOptions(values, { install: false }))] : []), ...surfaces]
  return manifests(operator, all, { image, replicas, settings: given, ...workload })
}

function print({ stdout }: CliContext, { output }: InstallOptions, objects: readonly KubeObject[]): void {
  if (output === 'yaml') stdout.write(objects.map((object) => `---\n${toYaml(object)}`).join(''))
  else stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 2)}\n`)
}

/** Checked first: otherwise the API server would refuse the name in the middle of the installation. */
function namespaceName(text: string): string {
  if (isNamespaceName(text)) return text
  throw new InvalidArgumentError(
    'It must consist of lower-case letters, digits and dashes and have at most 63 characters.',
  )
}

function imageName(text: string): string {
  if (/^\S+$/.test(text)) return text
  throw new InvalidArgumentError('It must be an image reference.')
}
