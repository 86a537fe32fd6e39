/** Assembles a connection; the identity stays the same object as long as files and plugins return the same. */
import type { TlsClientOptions } from '../../runtime/index.ts'
import type { Connection, Identity } from './connection.ts'
import type { Credential, Credentials } from './credential.ts'
import type { RotatingFile } from './rotating.ts'

/** The parts of a connection; values that can change are sources. */
export interface Parts {
  readonly name: string
  readonly server: string
  readonly namespace: string
  readonly proxy: string | undefined
  readonly ca: Pick<RotatingFile, 'read' | 'reread'> | undefined
  readonly credentials: Credentials | undefined
  readonly tls: TlsClientOptions
  readonly headers: Identity['headers']
}

export function assemble({ name, server, namespace, proxy, ca, credentials, tls, headers }: Parts): Connection {
  let last:
    | { readonly credential: Credential; readonly ca: string | undefined; readonly identity: Identity }
    | undefined

  async function identity(): Promise<Identity> {
    const [credential = {}, authority] = await Promise.all([credentials?.current(), ca?.read()])
    const { authorization, cert, key } = credential
    const kept =
      last?.ca === authority && last?.credential.cert === cert && last?.credential.key === key ? last : undefined
    if (kept !== undefined && kept.credential.authorization === authorization) return kept.identity
    const next: Identity = {
      tls: kept?.identity.tls ?? { ...tls, ...defined({ ca: authority, cert, key }) },
      headers: { ...headers, ...defined({ authorization }) },
    }
    last = { credential, ca: authority, identity: next }
    return next
  }

  return {
    name,
    server,
    namespace,
    ...(proxy === undefined ? {} : { proxy }),
    identity,
    async renew(refused) {
      if ((await identity()) !== refused) return true
      await Promise.all([credentials?.renew(), ca?.reread()])
      return (await identity()) !== refused
    },
  }
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
