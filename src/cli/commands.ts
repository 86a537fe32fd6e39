/**
 * All commands with their summaries. The module of a command is loaded only when the command is used, so that `--help` and short commands
 * start fast.
 */
import type { Command } from 'commander'
import type { CommandName } from './command-names.ts'
import type { CliContext } from './context.ts'

export interface CommandModule {
  /** `wholeProgram` builds the program with every command loaded. */
  command(context: CliContext, wholeProgram: () => Promise<Command>): Command
}

export interface CommandEntry {
  readonly name: CommandName
  readonly summary: string
  readonly group: string
  load(): Promise<CommandModule>
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Start a cluster, the operator and samples in one process',
    group: 'Try it',
    load: () => import('./up/index.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Start only the cluster in one process, for kubectl, helm and tests',
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
    summary: 'Install the operator, its RBAC rules and the gate in a cluster, or print the manifests',
    group: 'Run it',
    load: () => import('./install/index.ts'),
  },
  {
    name: 'runs',
    summary: 'List the runs of hooks of all surfaces, and show one with its cause, log and trace',
    group: 'Run it',
    load: () => import('./runs/index.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check what works in the current cluster and what is missing',
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
    summary: 'Convert DeploymentConfigs to Deployments with hooks',
    group: 'Roll out',
    load: () => import('./migrate/index.ts'),
  },
  {
    name: 'hook',
    summary: 'List, run, test and create script hooks',
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
    summary: 'Show the queues of a running operator',
    group: 'Script hooks',
    load: () => import('./queue/index.ts'),
  },
  {
    name: 'module',
    summary: 'Show the modules of a running operator and their values',
    group: 'Script hooks',
    load: () => import('./module/index.ts'),
  },
  {
    name: 'global',
    summary: 'Show the global values of a running operator',
    group: 'Script hooks',
    load: () => import('./global/index.ts'),
  },
  {
    name: 'config',
    summary: 'Change the log level of a running operator',
    group: 'Script hooks',
    load: () => import('./config/index.ts'),
  },
  {
    name: 'raw',
    summary: 'Send any request to the debug socket of a running operator',
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
    summary: 'Create, test and run your own deployer',
    group: 'Deployers',
    load: () => import('./deployer/index.ts'),
  },
  {
    name: 'jq',
    summary: 'Run a jq filter with the implementation that hooks use',
    group: 'Small languages',
    load: () => import('./jq/index.ts'),
  },
  {
    name: 'cron',
    summary: 'Explain a cron schedule and list its next times',
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
