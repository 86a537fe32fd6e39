/**
 * Reads a kubeconfig from a Target or an item. Entries that would run a program or read a file on this machine are refused unless a setting
 * allows them: the author of an item must not choose what the deployer executes. Messages quote only names of entries and addresses.
 */
import { type Connection, connectionOf, type Entry, type Kubeconfig, parseKubeconfig } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { configurationProblem } from '../library/errors.ts'

export interface KubeconfigSettings {
  /** Allows credential plugins. @default false */
  readonly allowExec?: boolean
  /** Allows certificates, keys and tokens in files of this machine. @default false */
  readonly allowFiles?: boolean
}

const programs = { user: ['exec', 'auth-provider'] } as const
const files = {
  user: ['client-certificate', 'client-key', 'tokenFile'],
  cluster: ['certificate-authority'],
} as const

/** `name` is the source of the kubeconfig, for example `target "default/shop"`. */
export function connectionFrom(text: string, name: string, runtime: Runtime, settings: KubeconfigSettings): Connection {
  try {
    const config = parseKubeconfig(text, name)
    if (settings.allowExec !== true) refuse(config, programs, 'would run a program on the machine of the deployer')
    if (settings.allowFiles !== true) refuse(config, files, 'would read a file of the machine of the deployer')
    return connectionOf(config, runtime)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw configurationProblem('ConnectTarget', message, error)
  }
}

function refuse(config: Kubeconfig, forbidden: Readonly<Record<string, readonly string[]>>, why: string): void {
  const lists: Readonly<Record<string, ReadonlyMap<string, Entry>>> = { user: config.users, cluster: config.clusters }
  for (const [kind, fields] of Object.entries(forbidden)) {
    for (const entry of lists[kind]?.values() ?? []) {
      const found = fields.find((field) => Object.hasOwn(entry.fields, field))
      if (found !== undefined)
        throw new Error(
          `${entry.file}: ${kind} "${entry.name}": ${found} ${why}, which is not allowed; put the credentials themselves into the kubeconfig.`,
        )
    }
  }
}
