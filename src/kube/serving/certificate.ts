/**
 * The serving certificates of a webhook over time. Each has a CA of its own, whose key is discarded. The API server gets the CA some time before the
 * certificate is used and keeps it until the certificate expires, so that every connection finds a trusted one.
 */
import { type Instant, smallest } from '../../runtime/index.ts'

export interface ServingCertificate {
  /** PEM text. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  /** The DNS names or addresses clients connect to. */
  readonly names: readonly string[]
  readonly from: Instant
  readonly until: Instant
}

/** Issues a certificate for the names, and its CA. */
export type IssueCertificate = (
  names: readonly string[],
  validity: { readonly from: Instant; readonly until: Instant },
) => Pick<ServingCertificate, 'ca' | 'cert' | 'key'>

const dayMs = 24 * 3_600_000
const lifetimeMs = 90 * dayMs
/** A certificate is replaced this long before it expires, so that a failing renewal is noticed in time. */
const renewBeforeExpiryMs = 30 * dayMs
/** API servers get a new CA this long before its certificate is served. */
const announceMs = 600_000

/** Adds a new certificate when the newest is about to expire; undefined when nothing has to change. */
export function renewed(
  known: readonly ServingCertificate[],
  now: Instant,
  names: readonly string[],
  issue: IssueCertificate,
): readonly ServingCertificate[] | undefined {
  // A certificate for other names is useless.
  const good = known.filter((one) => one.until > now && one.names.join() === names.join())
  const newest = good.at(-1)
  if (newest !== undefined && newest.until - renewBeforeExpiryMs > now) return undefined
  // Without a certificate there are no connections, so the first one is served at once.
  const from = newest === undefined ? now : now + announceMs
  const until = from + lifetimeMs
  return [...good, { ...issue(names, { from: now, until }), names, from, until }]
}

/** The certificate to serve. */
export function serving(known: readonly ServingCertificate[], now: Instant): ServingCertificate | undefined {
  return known.findLast(({ from, until }) => from <= now && until > now)
}

/** The CAs the API server must trust; PEM text. */
export function authorities(known: readonly ServingCertificate[], now: Instant): string {
  return known
    .filter(({ until }) => until > now)
    .map(({ ca }) => ca)
    .join('')
}

/** When the next certificate is served or issued; at least once a day, in case the clock was wrong. */
export function nextChange(known: readonly ServingCertificate[], now: Instant): Instant {
  const changes = known
    .flatMap(({ from, until }) => [from, until - renewBeforeExpiryMs])
    .filter((change) => change > now)
  return Math.min(smallest(changes), now + dayMs)
}
