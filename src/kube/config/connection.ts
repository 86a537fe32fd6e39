/**
 * Everything a transport needs to reach one cluster as one user. Files and plugins stay behind `identity`, which is asked before every
 * request, so that renewed tokens and certificates are used without a restart.
 */
import type { TlsClientOptions } from '../../runtime/http.ts'

/** The same object as long as nothing in it changed. */
export interface Identity {
  /** The same object as long as nothing in it changed, so that connections can be kept by it. */
  readonly tls: TlsClientOptions
  /** Several values of one header are sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export interface Connection {
  /** The context, or `in-cluster`. */
  readonly name: string
  /** Without a slash at the end; may have a path. */
  readonly server: string
  /** Where namespaced commands work unless told otherwise. */
  readonly namespace: string
  readonly proxy?: string
  identity(): Promise<Identity>
  /** The server refused this identity: reads files and runs plugins again. Resolves to whether there is another one now. */
  renew(refused: Identity): Promise<boolean>
}
