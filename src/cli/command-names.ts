/** The names of all commands, for texts that mention them. */
export const commandNames = [
  'up',
  'sandbox',
  'run',
  'install',
  'runs',
  'doctor',
  'rollout',
  'migrate',
  'hook',
  'shell-operator',
  'queue',
  'module',
  'global',
  'config',
  'raw',
  'item',
  'deployer',
  'jq',
  'cron',
  'version',
  'completion',
] as const

export type CommandName = (typeof commandNames)[number]
