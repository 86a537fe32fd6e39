/** `carabiner install`: applies or prints the operator, its RBAC rules and the objects of its surfaces. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { isForbidden, isNamespaceName, isNotFound, type KubeClient, type KubeObject, unless } from '../../kube/index.ts'
import { toYaml } from '../../kube/manifest/index.ts'
import { applyAll, type OperatorSettings, resolveSettings, type Surface } from '../../operator/index.ts'
import { configurationFolder, manifests, userManifests, type WorkloadOptions } from '../../operator/manifests/index.ts'
import {
  bestGate,
  engineUser,
  type GateKind,
  gateKinds,
  removeOtherGates,
  rolloutsSurface,
} from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { gateOptions } from '../gate.ts'
import { seconds, wholeNumber } from '../numbers.ts'
import { asStarted } from '../program-name.ts'
import { waitingOn } from '../rollout/waiting.ts'
import { appliedLine } from '../run/applied.ts'
import { type DeployerOptions, deployerOptions } from '../run/deployer-options.ts'
import { imageMissing } from './image.ts'
import { refuseRunningOperator, refuseSecondOperator } from './operators.ts'
import { tryInstallation } from './preflight.ts'
import { type Place, untilRunning } from './ready.ts'
import { refuseRemainingGate } from './remaining-gate.ts'

interface InstallOptions extends ClusterOptions, DeployerOptions {
  readonly print?: boolean
  readonly output: 'yaml' | 'json'
  readonly namespace: string
  readonly image?: string
  readonly replicas: number
  readonly gate: GateKind | 'auto'
  readonly rollouts: boolean
  readonly wait: boolean
  readonly timeout: number
}

type Given = InstallOptions & { readonly image: string }

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
    .option('--image <image>', 'image of the operator; there is no published one', imageName)
    .option('--replicas <number>', 'number of replicas; one is leader, the others stand by', wholeNumber(1), 2)
    .addOption(
      new Option('--gate <kind>', 'how rollouts are held; auto selects the best gate the cluster supports')
        .choices(['auto', ...gateKinds])
        .default('auto'),
    )
    .option('--wait', 'wait until the pods of the operator are ready', true)
    .option('--no-wait', 'end when everything is applied')
    .option('--timeout <seconds>', 'how long to wait for the pods', seconds, 180)
    .option('--no-rollouts', 'install without rollout hooks: no policies, no gate')
  deployerOptions(install)
  return clusterOptions(install)
    .addHelpText(
      'after',
      '\nExamples:\n  carabiner install --image registry.example.com/carabiner:1\n  carabiner install --image registry.example.com/carabiner:1 --print --gate policies > carabiner.yaml   no cluster needed\n  carabiner install --image registry.example.com/carabiner:1 --no-rollouts --deployers manifest,helm\n',
    )
    .action(async (given: InstallOptions) => {
      if (given.image === undefined) throw imageMissing()
      const options = { ...given, image: given.image }
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
  options: Given,
  gate: InstallOptions['gate'],
  deployers: Deployers,
): Promise<void> {
  const cluster = await connectCluster(context, options)
  try {
    const { client } = cluster
    const place = operatorId(options)
    if (!options.print) await refuse(context, client, options)
    const objects = objectsFor(options, gate === 'auto' ? await bestGate(client) : gate, deployers)
    if (options.print) return print(context, options, objects)
    await tryInstallation(client, objects)
    const onApplied = (object: KubeObject) => context.stdout.write(`${appliedLine(object)}\n`)
    await applyAll(client, context.runtime, objects, { signal: context.signal, onApplied })
    if (options.rollouts) await removeOthers(context, client, objects)
    if (options.wait) await waitFor(context, client, place, options.timeout)
    else context.stdout.write(`\nNot known yet: whether the pods start. See:\n  ${statusCommand(place)}\n`)
  } finally {
    await cluster.close()
  }
}

async function refuse(context: CliContext, client: KubeClient, options: InstallOptions): Promise<void> {
  const place = operatorId(options)
  if (!options.rollouts) return refuseRemainingGate(client, place)
  await refuseSecondOperator(client, place)
  await refuseRunningOperator(client, context, place)
}

/** Another gate, and the rights of an operator that ran outside the cluster. */
async function removeOthers(context: CliContext, client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  const gates = await removeOtherGates(client, context.runtime, objects, context.signal)
  for (const { kind, name } of gates)
    context.stdout.write(`${kind.toLowerCase()}/${name} removed: it belongs to another gate or version\n`)
  for (const { apiVersion, kind, metadata } of userManifests(engineUser, [])) {
    const handle = await client.find(apiVersion, kind)
    const found = await handle.delete(metadata.name).catch(unless(isNotFound, isForbidden))
    if (found !== undefined)
      context.stdout.write(`${kind.toLowerCase()}/${metadata.name} removed: the operator has a service account now\n`)
  }
}

async function waitFor(context: CliContext, client: KubeClient, place: Place, timeoutSeconds: number): Promise<void> {
  const { stderr, stdout, runtime, signal } = context
  const waiting = waitingOn(stderr, runtime.clock)
  try {
    const say = (text: string) => waiting.say(text)
    const text = await untilRunning(client, runtime, place, { timeoutSeconds, signal, say })
    waiting.stop()
    stdout.write(asStarted(`\n${text}\nNext:\n  carabiner doctor\n`, context))
  } finally {
    waiting.stop()
  }
}

function statusCommand({ namespace, name }: Place): string {
  return `kubectl rollout status -n ${namespace} deployment/${name}`
}

function operatorId({ namespace }: Pick<InstallOptions, 'namespace'>) {
  return { namespace, name: 'carabiner' }
}

function objectsFor(
  { namespace, image, replicas, rollouts }: Given,
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
