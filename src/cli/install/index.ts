/** `carabiner install`: the operator, its rights and the gate, put into the cluster or printed. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { toYaml } from '../../kube/manifest/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import { applyAll } from '../../operator/install.ts'
import { manifests } from '../../operator/manifests/index.ts'
import { type OperatorSettings, resolveSettings } from '../../operator/settings.ts'
import { bestGate, type GateKind, gateKinds } from '../../rollouts/gate/kinds.ts'
import { removeOtherGates } from '../../rollouts/gate/prune.ts'
import { rolloutsSurface } from '../../rollouts/index.ts'
import { type ClusterOptions, clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { gateOptions } from '../gate.ts'
import { programVersion } from '../version/index.ts'

interface InstallOptions extends ClusterOptions {
  readonly print?: boolean
  readonly output: 'yaml' | 'json'
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  readonly gate: GateKind | 'auto'
}

export function command(context: CliContext): Command {
  const install = new Command('install')
    .description(
      'Puts the resource definitions, the operator with its rights and the gate into the cluster of the current context. With --print nothing is touched.',
    )
    .option('--print', 'print the manifests instead of applying them')
    .addOption(new Option('-o, --output <format>', 'what --print writes').choices(['yaml', 'json']).default('yaml'))
    .option('-n, --namespace <name>', 'namespace of the operator', 'carabiner')
    .option('--image <image>', 'image of the operator', `carabiner:${programVersion()}`)
    .option('--replicas <number>', 'one leads, the others stand by', wholeNumber, 2)
    .addOption(
      new Option('--gate <kind>', 'what holds rollouts back; auto asks the cluster')
        .choices(['auto', ...gateKinds])
        .default('auto'),
    )
  return clusterOptions(install)
    .addHelpText(
      'after',
      '\nExamples:\n  carabiner install --print --gate policies > carabiner.yaml   no cluster needed\n  carabiner install --print | kubectl apply -f -\n',
    )
    .action(async (options: InstallOptions) => {
      if (options.print && options.gate !== 'auto') print(context, options, objectsFor(options, options.gate))
      else await inCluster(context, options)
    })
}

async function inCluster(context: CliContext, options: InstallOptions): Promise<void> {
  const cluster = await connectCluster(context, options)
  try {
    const { client } = cluster
    const objects = objectsFor(options, options.gate === 'auto' ? await bestGate(client) : options.gate)
    if (options.print) return print(context, options, objects)
    await applyAll(client, context.runtime, objects, context.signal, ({ kind, metadata }) =>
      context.stdout.write(`${kind.toLowerCase()}/${metadata.name} applied\n`),
    )
    for (const { kind, name } of await removeOtherGates(client, objects))
      context.stdout.write(`${kind.toLowerCase()}/${name} removed: it belongs to another gate\n`)
    context.stdout.write(
      `\nNext:\n  kubectl rollout status -n ${options.namespace} deployment/carabiner\n  carabiner doctor\n`,
    )
  } finally {
    await cluster.close()
  }
}

function objectsFor({ namespace, image, replicas }: InstallOptions, gate: GateKind): readonly KubeObject[] {
  const place = { namespace, name: 'carabiner' }
  const given: Partial<OperatorSettings> = {
    // Probes and Prometheus come from outside the pod.
    listenAddress: '0.0.0.0',
    leaseNamespace: namespace,
    gate,
    ...(gate === 'webhook'
      ? { gateAddress: '0.0.0.0', gatePort: 9443, gateService: `${namespace}/${place.name}` }
      : {}),
  }
  const { values } = resolveSettings({ flags: given })
  return manifests(place, [rolloutsSurface(gateOptions(values, false))], { image, replicas, settings: given })
}

function print({ stdout }: CliContext, { output }: InstallOptions, objects: readonly KubeObject[]): void {
  if (output === 'yaml') stdout.write(objects.map((object) => `---\n${toYaml(object)}`).join(''))
  else stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 2)}\n`)
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('must be a whole number from 1 on.')
  return Number(text)
}
