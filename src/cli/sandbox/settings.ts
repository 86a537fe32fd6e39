/** What a sandbox keeps in its data folder beside the objects, so that kubeconfigs and tokens stay valid: keys, tokens and the port. */
import { CarabinerError, fromBase64, type JsonObject, type Random, toBase64 } from '../../runtime/index.ts'
import { type CertificateAuthority, createAuthority, loadAuthority } from '../../runtime/real/index.ts'
import { type Credentials, createCredentials } from '../../sandbox/index.ts'

export interface ServerSettings {
  readonly authority: CertificateAuthority
  readonly credentials: Credentials
  /** Undefined before the first start. */
  readonly port: number | undefined
}

export function createSettings(random: Random): ServerSettings {
  return {
    authority: createAuthority('carabiner sandbox authority'),
    credentials: createCredentials(random),
    port: undefined,
  }
}

export function savedSettings({ authority, credentials }: ServerSettings, port: number): JsonObject {
  const { cert, key } = authority
  const { adminToken, signingKey } = credentials
  return { cert, key, adminToken, signingKey: toBase64(signingKey), port }
}

export function readSettings(saved: JsonObject, folder: string): ServerSettings {
  const { cert, key, adminToken, signingKey, port } = saved
  const texts = [cert, key, adminToken, signingKey]
  if (!texts.every((text) => typeof text === 'string') || typeof port !== 'number')
    throw new CarabinerError('CRB_SANDBOX_DATA_INVALID', `the keys in ${JSON.stringify(folder)} are not complete`)
  return {
    authority: loadAuthority({ cert: String(cert), key: String(key) }),
    credentials: { adminToken: String(adminToken), signingKey: fromBase64(String(signingKey)) },
    port,
  }
}
