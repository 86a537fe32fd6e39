/** What has to be known of a pod to read its logs: small enough to be kept for every pod that may belong to a hook. */
import { type SecretUser, secretsOf } from './secrets.ts'

export interface LogSource {
  /** Of the pod. */
  readonly name: string
  /** Init containers come first. */
  readonly containers: readonly string[]
  /** Names of the Secrets the pod uses. */
  readonly secrets: readonly string[]
}

/** The fields of a pod that never change. */
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
