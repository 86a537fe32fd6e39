/** A pod as far as its log is concerned: small enough to be kept of every pod that may be a hook's. */
import { type SecretUser, secretsOf } from './secrets.ts'

export interface LogSource {
  readonly name: string
  /** Those that run before the others come first. */
  readonly containers: readonly string[]
  /** Names of the secrets it was given. */
  readonly secrets: readonly string[]
}

/** What of a pod never changes. */
export interface PodForLogs {
  readonly metadata: { readonly name: string }
  readonly spec?: SecretUser & {
    readonly containers?: readonly { readonly name: string }[]
    readonly initContainers?: readonly { readonly name: string }[]
  }
}

export function logSourceOf({ metadata: { name }, spec = {} }: PodForLogs): LogSource {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
  return { name, containers: containers.map((container) => container.name), secrets: secretsOf(spec) }
}
