/** The checks of `carabiner doctor`. They are independent: a failed check does not stop the others. */
import { isAllowed, type KubeClient } from '../../kube/index.ts'
import { settings } from '../../operator/index.ts'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import { type ClusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import type { Finding } from './finding.ts'
import { gateFinding } from './gate.ts'
import { operatorFindings } from './operator.ts'
import { registrationFindings } from './registrations.ts'

export async function findings(context: CliContext, options: ClusterOptions): Promise<Finding[]> {
  const { runtime } = context
  const local = [node(), port(runtime), program(runtime, 'kubectl'), program(runtime, 'helm')]
  return [...(await Promise.all(local)), ...(await cluster(context, options))]
}

async function node(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    return {
      name: 'node',
      state: 'missing',
      detail: process.versions.node,
      remedy: 'Install Node 20.19 or newer; 22 or 24 is recommended.',
    }
  }
  return { name: 'node', state: 'works', detail: process.versions.node }
}

async function port(runtime: Runtime): Promise<Finding> {
  const wanted = settings.listenPort.default
  try {
    const listener = await runtime.http.listen({ host: '127.0.0.1', port: wanted }, async () => ({
      status: 404,
      headers: {},
      body: new Uint8Array(),
    }))
    await listener.close()
    return { name: `port ${wanted}`, state: 'works', detail: 'free' }
  } catch {
    return {
      name: `port ${wanted}`,
      state: 'optional',
      detail: 'in use',
      remedy: 'If another program uses it, stop that program or start the operator with another --listen-port.',
    }
  }
}

async function program(runtime: Runtime, name: 'kubectl' | 'helm'): Promise<Finding> {
  const purpose =
    name === 'helm' ? 'modules and deployers with charts need it' : 'it is the easiest way to look into the sandbox'
  try {
    const args = name === 'helm' ? ['version', '--short'] : ['version', '--client', '-o', 'json']
    const env = { PATH: runtime.env['PATH'] ?? '', HOME: runtime.env['HOME'] ?? '' }
    const started = runtime.processes.spawn({ command: name, args, env })
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of started.stdout) text += decoder.decode(chunk, { stream: true })
    const { code } = await started.exit
    const version = /v\d+\.\d+\.\d+/.exec(text)?.[0]
    if (code === 0 && version !== undefined) return { name, state: 'works', detail: version }
  } catch {
    // A program that cannot be started counts as not found, like one that fails.
  }
  return { name, state: 'optional', detail: 'not found', remedy: `Install ${name} on PATH; ${purpose}.` }
}

async function cluster(context: CliContext, options: ClusterOptions): Promise<Finding[]> {
  try {
    const connected = await connectCluster(context, options)
    try {
      const version = (await connected.client.raw('GET', '/version')) as { gitVersion: string }
      const reached: Finding = {
        name: 'cluster',
        state: 'works',
        detail: `${connected.name} at ${connected.server}, ${version.gitVersion}`,
      }
      const { client, namespace } = connected
      const watching = { clock: context.runtime.clock, signal: context.signal }
      return [
        reached,
        await leadershipFinding(client),
        ...(await operatorFindings(client, watching).catch(() => [])),
        await gateFinding(client, namespace),
        ...(await registrationFindings(client)),
      ]
    } finally {
      await connected.close()
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const remedy = error instanceof CarabinerError ? error.remedy : 'Check the kubeconfig.'
    return [
      {
        name: 'cluster',
        state: 'missing',
        detail,
        remedy: `${remedy} Without a cluster, use \`carabiner up\`, which starts one.`,
      },
    ]
  }
}

async function leadershipFinding(client: KubeClient): Promise<Finding> {
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: settings.leaseNamespace.default }
  if (await isAllowed(client, { verb: 'update', ...lease }))
    return { name: 'leadership', state: 'works', detail: 'may update the Lease' }
  const remedy = 'Ask for permission to get, create and update leases, or run with --leader-election false.'
  return { name: 'leadership', state: 'missing', detail: 'may not update the Lease', remedy }
}
