/** Certificates for servers that the API server calls. Each has its own authority, whose key is discarded. */
import type { IssueCertificate } from '../kube/index.ts'
import { createAuthority } from '../runtime/real/index.ts'

const clockToleranceMs = 3_600_000

export const issueCertificate: IssueCertificate = (names, validity) => {
  // The clocks of the machines may differ.
  const period = { from: validity.from - clockToleranceMs, until: validity.until }
  const authority = createAuthority('carabiner authority', period)
  return { ca: authority.cert, ...authority.issueServer({ commonName: 'carabiner', names }, period) }
}
