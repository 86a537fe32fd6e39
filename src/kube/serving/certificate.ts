/**
 * The certificates of a server that API servers call, over time. Each comes with an authority of its own, whose key is thrown away, and is known to the
 * API server for a while before it is used and until it ends: whoever connects in between finds one it believes.
 */
import type { Instant } from '../../runtime/clock.ts'

export interface ServingCertificate {
  /** PEM text. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  /** What the server is called by whoever connects. */
  readonly names: readonly string[]
  readonly from: Instant
  readonly until: Instant
}

/** Makes a certificate for the names and who vouches for it. */
export type IssueCertificate = (
  names: readonly string[],
  validity: { readonly from: Instant; readonly until: Instant },
) => Pick<ServingCertificate, 'ca' | 'cert' | 'key'>

const day = 24 * 3_600_000
const lifetime = 90 * day
/** How long before its end a certificate is replaced: time enough for somebody to notice that it could not be. */
const replacedBefore = 30 * day
/** How long API servers have to learn of a new authority. */
const settling = 600_000

/** With a new certificate when the newest is about to end; undefined when they are good as they are. */
export function renewed(
  known: readonly ServingCertificate[],
  now: Instant,
  names: readonly string[],
  issue: IssueCertificate,
): readonly ServingCertificate[] | undefined {
  // One for other names is of no use to anybody any more.
  const good = known.filter((one) => one.until > now && one.names.join() === names.join())
  const newest = good.at(-1)
  if (newest !== undefined && newest.until - replacedBefore > now) return undefined
  // Nobody connects while there is none, so that the first need not wait.
  const from = newest === undefined ? now : now + settling
  const until = from + lifetime
  return [...good, { ...issue(names, { from: now, until }), names, from, until }]
}

/** The one to serve with. */
export function serving(known: readonly ServingCertificate[], now: Instant): ServingCertificate | undefined {
  return known.findLast(({ from, until }) => from <= now && until > now)
}

/** Everybody the API server shall believe; PEM text. */
export function authorities(known: readonly ServingCertificate[], now: Instant): string {
  return known
    .filter(({ until }) => until > now)
    .map(({ ca }) => ca)
    .join('')
}

/** When to look again: another one is to be served, or a new one to be made; at least once a day, should a clock have been wrong. */
export function nextTurn(known: readonly ServingCertificate[], now: Instant): Instant {
  const turns = known.flatMap(({ from, until }) => [from, until - replacedBefore]).filter((turn) => turn > now)
  return Math.min(...turns, now + day)
}
