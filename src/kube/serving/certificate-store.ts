/**
 * Stores certificates: in memory for a single process, in a Secret for several replicas.
 */
import type { KubeClient } from '../client/client.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../errors.ts'
import { resources, type Secret } from '../kinds/index.ts'
import type { ServingCertificate } from './certificate.ts'

export interface CertificateStore {
  /**
   * Passes the stored certificates to `change` and stores what it returns; undefined changes nothing. After a conflict `change` is called
   * again with the latest certificates.
   */
  update(
    change: (known: readonly ServingCertificate[]) => readonly ServingCertificate[] | undefined,
  ): Promise<readonly ServingCertificate[]>
}

export function inMemory(): CertificateStore {
  let known: readonly ServingCertificate[] = []
  return {
    update: async (change) => {
      known = change(known) ?? known
      return known
    },
  }
}

// btoa accepts it, because PEM is ASCII.
const entry = 'certificates.json'

export function inSecret(
  client: KubeClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): CertificateStore {
  const secrets = client.of(resources.secrets)
  const read = () =>
    secrets.get(name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  return {
    async update(change) {
      for (;;) {
        const stored = await read()
        const known = certificatesOf(stored)
        const wanted = change(known)
        if (wanted === undefined) return known
        const data = { [entry]: btoa(JSON.stringify(wanted)) }
        const metadata = stored?.metadata ?? { name, namespace }
        const secret: Secret = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', ...stored, metadata, data }
        try {
          await (stored === undefined ? secrets.create(secret) : secrets.update(secret))
          return wanted
        } catch (error) {
          if (!isConflict(error) && !isAlreadyExists(error)) throw error
        }
      }
    },
  }
}

/** Unreadable content is replaced. */
function certificatesOf(secret: Secret | undefined): readonly ServingCertificate[] {
  const text = secret?.data?.[entry]
  if (text === undefined) return []
  try {
    return JSON.parse(atob(text)) as readonly ServingCertificate[]
  } catch {
    return []
  }
}
