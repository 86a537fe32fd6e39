/**
 * Every command, with what the overview says of it. A command's module is loaded only when it is used, so that `--help` and quick
 * commands never pay for the operator.
 */
import type { Command } from 'commander'
import type { CliContext } from './context.ts'

export interface CommandModule {
  /** `wholeProgram` builds the program with every command loaded. */
  command(context: CliContext, wholeProgram: () => Promise<Command>): Command
}

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: string
  load(): Promise<CommandModule>
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Start a whole cluster, the operator and samples in one process',
    group: 'Try it',
    load: () => import('./up/index.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Start only the cluster in a process, for kubectl, helm and tests',
    group: 'Try it',
    load: () => import('./sandbox/index.ts'),
  },
  {
    name: 'run',
    summary: 'Run the operator against the current kubeconfig context',
    group: 'Run it',
    load: () => import('./run/index.ts'),
  },
  {
    name: 'install',
    summary: 'Put the operator, its rights and the gate into a cluster, or print them',
    group: 'Run it',
    load: () => import('./install/index.ts'),
  },
  {
    name: 'doctor',
    summary: 'Say what works here, what is missing and what to do about it',
    group: 'Run it',
    load: () => import('./doctor/index.ts'),
  },
  {
    name: 'rollout',
    summary: 'Plan, simulate and watch rollouts with hooks; read their logs; approve, retry, abort, undo',
    group: 'Roll out',
    load: () => import('./rollout/index.ts'),
  },
  {
    name: 'migrate',
    summary: 'Turn DeploymentConfigs into Deployments with hooks',
    group: 'Roll out',
    load: () => import('./migrate/index.ts'),
  },
  {
    name: 'hook',
    summary: 'Look at script hooks and try them',
    group: 'Script hooks',
    load: () => import('./hook/index.ts'),
  },
  {
    name: 'shell-operator',
    summary: 'Run a folder of hooks with the flags and variables of shell-operator',
    group: 'Script hooks',
    load: () => import('./shell-operator/index.ts'),
  },
  {
    name: 'queue',
    summary: 'See what waits in the queues of a running operator',
    group: 'Script hooks',
    load: () => import('./queue/index.ts'),
  },
  {
    name: 'module',
    summary: 'See the modules of a running operator and their values',
    group: 'Script hooks',
    load: () => import('./module/index.ts'),
  },
  {
    name: 'global',
    summary: 'See the values that hooks and modules of a running operator share',
    group: 'Script hooks',
    load: () => import('./global/index.ts'),
  },
  {
    name: 'config',
    summary: 'Change how much a running operator logs',
    group: 'Script hooks',
    load: () => import('./config/index.ts'),
  },
  {
    name: 'raw',
    summary: 'Ask the debug socket of a running operator anything',
    group: 'Script hooks',
    load: () => import('./raw/index.ts'),
  },
  {
    name: 'item',
    summary: 'List, explain, reconcile and abort deploy items, and wait for them',
    group: 'Deployers',
    load: () => import('./item/index.ts'),
  },
  {
    name: 'deployer',
    summary: 'Begin, test and run a deployer of your own',
    group: 'Deployers',
    load: () => import('./deployer/index.ts'),
  },
  {
    name: 'jq',
    summary: 'Try a jq filter with the engine that runs it in hooks',
    group: 'Small languages',
    load: () => import('./jq/index.ts'),
  },
  {
    name: 'cron',
    summary: 'Say in words and times when a schedule fires',
    group: 'Small languages',
    load: () => import('./cron/index.ts'),
  },
  {
    name: 'version',
    summary: 'Print the version of this program and of the cluster',
    group: 'About',
    load: () => import('./version/index.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    group: 'About',
    load: () => import('./completion/index.ts'),
  },
]
