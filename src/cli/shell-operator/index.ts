/** `carabiner shell-operator`: replaces that program with the same commands, flags, variables and defaults. */
import { Command } from 'commander'
import { kebab } from '../../operator/index.ts'
import { command as configCommand } from '../config/index.ts'
import type { CliContext } from '../context.ts'
import { command as queueCommand } from '../queue/index.ts'
import { command as rawCommand } from '../raw/index.ts'
import { type ScriptFlag, scriptFlags } from '../scripts/flags.ts'
import { originalSocket } from '../socket.ts'
import { command as versionCommand } from '../version/index.ts'
import { hookCommand } from './hooks.ts'
import { startCommand } from './start.ts'

export function command(given: CliContext): Command {
  const { runtime } = given
  // The socket of shell-operator for every user; the flag and the variable win over it.
  const context = { ...given, runtime: { ...runtime, env: { DEBUG_UNIX_SOCKET: originalSocket, ...runtime.env } } }
  return new Command('shell-operator')
    .description('Replaces shell-operator: the same commands, flags, environment variables and defaults.')
    .addCommand(startCommand(context), { isDefault: true })
    .addCommand(queueCommand(context))
    .addCommand(hookCommand(context))
    .addCommand(configCommand(context))
    .addCommand(rawCommand(context))
    .addCommand(versionCommand(context))
    .addCommand(debugOptionsCommand(context))
    .addHelpText('after', '\nFlags (`start` may be omitted):\n  carabiner shell-operator start --help')
}

function debugOptionsCommand({ stdout }: CliContext): Command {
  return new Command('debug-options').description('Lists the flags for debugging.').action(() => {
    for (const [name, { env, meaning, withoutEffect }] of Object.entries<ScriptFlag<unknown>>(scriptFlags)) {
      if (!name.startsWith('debug')) continue
      stdout.write(`--${kebab(name)} (${env.join(', ')}): ${withoutEffect === undefined ? meaning : 'no effect'}\n`)
    }
    stdout.write('--debug-unix-socket (DEBUG_UNIX_SOCKET): debug socket of the commands queue, hook, config and raw\n')
  })
}
