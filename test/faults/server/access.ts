/** The credentials of the client: a CA, a token and a kubeconfig with their files, all of which can be renewed during a test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '../../../src/runtime/real/index.ts'
import type { Certificate, FaultServer } from './server.ts'

export interface Access {
  readonly token: string
  /** A new certificate for the server, signed by the current CA. */
  certificate(): Certificate
  kubeconfig(server: FaultServer): string
  /** Creates a new CA; the client's file has it only after `publish`. */
  renewAuthority(): void
  publish(): void
  writeToken(token: string): void
  remove(): void
}

export function createAccess(): Access {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-faults-'))
  const path = (name: string) => join(folder, name)
  let authority = createAuthority('faults')
  const publish = () => writeFileSync(path('ca.crt'), authority.cert)
  const writeToken = (token: string) => writeFileSync(path('token'), token)
  publish()
  writeToken('first')
  return {
    token: 'first',
    certificate: () => authority.issueServer({ commonName: 'server', names: ['127.0.0.1'] }),
    kubeconfig(server) {
      const cluster = { server: `https://127.0.0.1:${server.port}`, 'certificate-authority': 'ca.crt' }
      const config = {
        'current-context': 'faults',
        contexts: [{ name: 'faults', context: { cluster: 'faults', user: 'faults' } }],
        clusters: [{ name: 'faults', cluster }],
        users: [{ name: 'faults', user: { tokenFile: 'token' } }],
      }
      writeFileSync(path('config'), JSON.stringify(config))
      return path('config')
    },
    renewAuthority() {
      authority = createAuthority('faults renewed')
    },
    publish,
    writeToken,
    remove: () => rmSync(folder, { recursive: true }),
  }
}
