/**
 * Where a server that API servers call has its certificate from: made by ourselves and replaced in time, or files that somebody else
 * renews.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Files } from '../../runtime/files.ts'
import type { TlsServerOptions } from '../../runtime/http.ts'
import { authorities, type IssueCertificate, nextTurn, renewed, serving } from './certificate.ts'
import type { CertificateStore } from './certificate-store.ts'

export interface Credentials {
  readonly tls: TlsServerOptions
  /** Whom the API server shall believe; PEM text. */
  readonly ca: string
  /** When the certificate ends, where that is known. */
  readonly until?: number
  /** Milliseconds until there may be others. */
  readonly next: number
}

export interface CredentialSource {
  current(): Promise<Credentials>
}

/** `names`: what the server is called by whoever connects. */
export function issuedCredentials(
  clock: Pick<Clock, 'now'>,
  { store, names, issue }: { store: CertificateStore; names: readonly string[]; issue: IssueCertificate },
): CredentialSource {
  return {
    async current() {
      const known = await store.update((kept) => renewed(kept, clock.now(), names, issue))
      const now = clock.now()
      const served = serving(known, now)
      if (served === undefined) throw new Error('a certificate that was just made cannot be served')
      const { cert, key, until } = served
      return { tls: { cert, key }, ca: authorities(known, now), until, next: nextTurn(known, now) - now }
    },
  }
}

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

/** Milliseconds between two looks at the files: whoever renews certificates does it days before their end. */
const lookEvery = 10_000

export function filedCredentials(files: Pick<Files, 'readText'>, paths: CertificateFiles): CredentialSource {
  return {
    async current() {
      const [cert = '', key = '', ca = ''] = await readAll(files, [paths.cert, paths.key, paths.ca])
      return { tls: { cert, key }, ca, next: lookEvery }
    },
  }
}

/** The same, and clients are asked for a certificate that one of these authorities vouches for. */
export function withClientAuthorities(
  files: Pick<Files, 'readText'>,
  source: CredentialSource,
  paths: readonly string[],
): CredentialSource {
  return {
    async current() {
      const { tls, next, ...rest } = await source.current()
      const clientCa = (await readAll(files, paths)).join('\n')
      return { ...rest, tls: { ...tls, clientCa }, next: Math.min(next, lookEvery) }
    },
  }
}

function readAll(files: Pick<Files, 'readText'>, paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(paths.map((path) => files.readText(path)))
}
