/** The commands for the sandboxes of this user that run: `list`, `kubeconfig` and `stop`. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'
import { age } from '../terminal/span.ts'
import { findSandbox, type ListedSandbox, listSandboxes, stopSandbox } from './names.ts'

interface ListOptions {
  readonly output?: string
}

const listing = (now: number): Listing<ListedSandbox> => ({
  columns: [
    { head: 'name', of: ({ name }) => name },
    { head: 'state', of: ({ state }) => state },
    { head: 'address', of: ({ address }) => address },
    { head: 'age', of: ({ startedAt }) => age(now - startedAt) },
    { head: 'command', of: ({ command }) => command },
    { head: 'pid', of: ({ pid }) => String(pid) },
    { head: 'data', of: ({ data }) => data ?? 'in memory' },
    { head: 'kubeconfig', of: ({ kubeconfig }) => kubeconfig, wide: true },
  ],
  name: ({ name }) => name,
  none: 'No sandbox runs.',
})

export function listCommand({ runtime, stdout }: CliContext): Command {
  return new Command('list')
    .description('Lists the sandboxes of this user that run.')
    .addOption(outputOption())
    .action(async ({ output }: ListOptions) => {
      const format = readFormat(output)
      stdout.write(list(await listSandboxes(runtime), format, listing(runtime.clock.now()), stdout))
    })
}

export function kubeconfigCommand({ runtime, stdout }: CliContext): Command {
  return new Command('kubeconfig')
    .description('Prints the path of the kubeconfig of a sandbox: export KUBECONFIG=$(carabiner sandbox kubeconfig)')
    .argument('[name]', 'name of the sandbox; not needed if only one runs')
    .action(async (name: string | undefined) => {
      stdout.write(`${(await findSandbox(runtime, name)).kubeconfig}\n`)
    })
}

export function stopCommand({ runtime, stdout, signal }: CliContext): Command {
  return new Command('stop')
    .description('Asks a sandbox to stop and waits for its end.')
    .argument('[name]', 'name of the sandbox; not needed if only one runs')
    .action(async (name: string | undefined) => {
      const sandbox = await findSandbox(runtime, name)
      await stopSandbox(runtime, sandbox, signal)
      stdout.write(`sandbox ${sandbox.name} has ended\n`)
    })
}
