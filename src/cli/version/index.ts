/** `carabiner version`: the versions of this program, of Node.js and of the cluster. */
import { Command, Option } from 'commander'
import { clusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { programVersion } from '../program-version.ts'

export function command(context: CliContext): Command {
  const version = new Command('version')
    .description('Prints the versions of this program, of Node.js and of the cluster in the current context.')
    .option('--client', 'omit the version of the cluster')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
  return clusterOptions(version).action(
    async (options: { client?: boolean; output: string; kubeconfig?: string; context?: string }) => {
      const facts: Record<string, string> = { carabiner: programVersion(), node: process.version.slice(1) }
      if (!options.client) facts['cluster'] = await clusterVersion(context, options)
      const text = Object.entries(facts)
        .map(([name, value]) => `${name.padEnd(10)} ${value}`)
        .join('\n')
      context.stdout.write(`${options.output === 'json' ? JSON.stringify(facts) : text}\n`)
    },
  )
}

async function clusterVersion(
  context: CliContext,
  options: { kubeconfig?: string; context?: string },
): Promise<string> {
  try {
    const cluster = await connectCluster(context, options)
    const answer = (await cluster.client.raw('GET', '/version')) as { gitVersion: string }
    await cluster.close()
    return answer.gitVersion
  } catch (error) {
    return `not reachable: ${error instanceof Error ? error.message : String(error)}`
  }
}
