/** `carabiner shell-operator start`: runs the operator with script hooks only. */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { resolveSettings } from '../../operator/index.ts'
import type { CliContext } from '../context.ts'
import { operate } from '../run/operate.ts'
import { resolveScripts, scriptFlagOptions } from '../scripts/resolve.ts'
import { scriptsSurfaceOf } from '../scripts/surface.ts'
import { originalFolders, type SocketOptions, socketOption } from '../socket.ts'

export function startCommand(context: CliContext): Command {
  const start = new Command('start').description(
    'Runs the executables in a folder as hooks until it is interrupted; the default command, as in shell-operator.',
  )
  for (const option of scriptFlagOptions('shell-operator')) start.addOption(option)
  return socketOption(start).action((options: SocketOptions) => run(context, options))
}

async function run(context: CliContext, options: SocketOptions): Promise<void> {
  const resolved = resolveScripts({ ...options }, context.runtime.env)
  const { values } = resolved
  const { values: settings } = resolveSettings({
    flags: {
      listenAddress: values.listenAddress,
      listenPort: values.listenPort,
      requestsPerSecond: values.kubeClientQps,
      requestBurst: values.kubeClientBurst,
      // Pods of shell-operator have no permission for leases.
      leaderElection: false,
    },
  })
  const { kubeConfig, kubeContext, kubeServer, logType } = values
  await operate(context, {
    settings,
    hasPrograms: true,
    install: false,
    cluster: {
      ...(kubeConfig === '' ? {} : { kubeconfig: kubeConfig }),
      ...(kubeContext === '' ? {} : { context: kubeContext }),
      ...(kubeServer === '' ? {} : { server: kubeServer }),
    },
    log: {
      to: 'stdout',
      level: values.logLevel,
      format: logType === 'json' ? 'json' : 'text',
      color: logType === 'color',
      time: !values.logNoTime,
    },
    surfaces: async (runtime, podNamespace) => {
      const place = { layout: 'folder', hooksDir: resolve(values.hooksDir) } as const
      const folders = originalFolders(context.runtime, options)
      return [await scriptsSurfaceOf(place, resolved, runtime, { podNamespace, folders })]
    },
  })
}
