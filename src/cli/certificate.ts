/** Certificates of servers that API servers call: each has an authority of its own, whose key nobody keeps. */
import type { IssueCertificate } from '../kube/serving/certificate.ts'
import { createAuthority } from '../runtime/real/index.ts'

const hour = 3_600_000

export const issueCertificate: IssueCertificate = (names, validity) => {
  // Clocks may differ a little.
  const lasting = { from: validity.from - hour, until: validity.until }
  const authority = createAuthority('carabiner authority', lasting)
  return { ca: authority.cert, ...authority.issueServer({ commonName: 'carabiner', names }, lasting) }
}
