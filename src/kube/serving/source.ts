/**
 * The certificate of a webhook server: issued by this process and renewed in time, or read from files that another program renews.
 */
import type { Clock, Files, TlsServerOptions } from '../../runtime/index.ts'
import { authorities, type IssueCertificate, nextChange, renewed, serving } from './certificate.ts'
import type { CertificateStore } from './certificate-store.ts'

export interface Credentials {
  readonly tls: TlsServerOptions
  /** The CAs the API server must trust; PEM text. */
  readonly ca: string
  /** When the certificate expires, if known. */
  readonly until?: number
  /** Milliseconds until it may change. */
  readonly next: number
}

export interface CredentialSource {
  current(): Promise<Credentials>
}

/** `names`: the DNS names or addresses clients connect to. */
export function issuedCredentials(
  clock: Pick<Clock, 'now'>,
  { store, names, issue }: { store: CertificateStore; names: readonly string[]; issue: IssueCertificate },
): CredentialSource {
  return {
    async current() {
      const known = await store.update((kept) => renewed(kept, clock.now(), names, issue))
      const now = clock.now()
      const served = serving(known, now)
      if (served === undefined) throw new Error('no certificate is valid after issuing one')
      const { cert, key, until } = served
      return { tls: { cert, key }, ca: authorities(known, now), until, next: nextChange(known, now) - now }
    },
  }
}

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

/** Certificates are renewed days before they expire. */
const pollIntervalMs = 10_000

export function filedCredentials(files: Pick<Files, 'readText'>, paths: CertificateFiles): CredentialSource {
  return {
    async current() {
      const [cert = '', key = '', ca = ''] = await readAll(files, [paths.cert, paths.key, paths.ca])
      return { tls: { cert, key }, ca, next: pollIntervalMs }
    },
  }
}

/** Also requests client certificates of these CAs. */
export function withClientAuthorities(
  files: Pick<Files, 'readText'>,
  source: CredentialSource,
  paths: readonly string[],
): CredentialSource {
  return {
    async current() {
      const { tls, next, ...rest } = await source.current()
      const clientCa = (await readAll(files, paths)).join('\n')
      return { ...rest, tls: { ...tls, clientCa }, next: Math.min(next, pollIntervalMs) }
    },
  }
}

function readAll(files: Pick<Files, 'readText'>, paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(paths.map((path) => files.readText(path)))
}
