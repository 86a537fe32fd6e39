/** The certificate of the gate's webhook: made anew by every process, which tells the API server whom to believe. */
import { createAuthority } from '../runtime/real/index.ts'

export function gateCertificate() {
  const authority = createAuthority('carabiner gate authority')
  return { ca: authority.cert, ...authority.issueServer({ commonName: 'carabiner gate', names: ['127.0.0.1'] }) }
}
