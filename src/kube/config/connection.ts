/**
 * Everything a transport needs to reach one cluster as one user. Transports call `identity` before every request, so that renewed tokens and
 * certificates are used without a restart.
 */
import type { TlsClientOptions } from '../../runtime/index.ts'

/** The same object as long as nothing in it changes. */
export interface Identity {
  /** The same object as long as nothing in it changes: connections are kept by it. */
  readonly tls: TlsClientOptions
  /** Several values of one header are sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export interface Connection {
  /** The context, or `in-cluster`. */
  readonly name: string
  /** Without a trailing slash; may have a path. */
  readonly server: string
  /** The default namespace of commands. */
  readonly namespace: string
  readonly proxy?: string
  /** The identity is the service account of the pod that this process runs in. */
  readonly isInCluster?: true
  identity(): Promise<Identity>
  /** Called when the server refuses this identity: reads files and runs plugins again. Resolves to whether the identity has changed. */
  renew(refused: Identity): Promise<boolean>
}
