/** The values of the Secrets a pod uses, in its environment or its volumes, so that they can be removed from its log. */
import { isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { redacted, redactText, textFromBase64 } from '../../runtime/index.ts'

interface Reference {
  readonly name?: string
}

interface Container {
  readonly env?: readonly { readonly valueFrom?: { readonly secretKeyRef?: Reference } }[]
  readonly envFrom?: readonly { readonly secretRef?: Reference }[]
}

export interface SecretUser {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly {
    readonly secret?: { readonly secretName?: string }
    readonly projected?: { readonly sources?: readonly { readonly secret?: Reference }[] }
  }[]
}

/** Shorter values are parts of ordinary words. */
const minSecretLength = 4

export function secretsOf({ containers = [], initContainers = [], volumes = [] }: SecretUser): readonly string[] {
  const ofContainers = [...initContainers, ...containers].flatMap(({ env = [], envFrom = [] }) => [
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...envFrom.map(({ secretRef }) => secretRef?.name),
  ])
  const ofVolumes = volumes.flatMap(({ secret, projected }) => [
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ])
  return [...new Set([...ofContainers, ...ofVolumes].filter((name) => name !== undefined))]
}

/** Every value of the Secrets, as a whole and line by line. Rejects when one cannot be read. */
export async function secretValues(
  client: KubeClient,
  namespace: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const values = new Set<string>()
  for (const name of names) {
    const data = await readSecret(client, name, { namespace, ...(signal === undefined ? {} : { signal }) })
    for (const encoded of Object.values(data)) {
      const text = textFromBase64(encoded)
      for (const value of [encoded, text, ...text.split('\n')]) values.add(value.trim())
    }
  }
  return [...values]
}

/** Longer values are replaced first, because one may contain another. Text that looks like a credential is replaced as well. */
export function withoutSecrets(text: string, values: readonly string[]): string {
  const known = values.filter(({ length }) => length >= minSecretLength).toSorted((a, b) => b.length - a.length)
  return redactText(known.reduce((clean, value) => clean.replaceAll(value, redacted), text))
}

async function readSecret(
  client: KubeClient,
  name: string,
  within: { readonly namespace: string; readonly signal?: AbortSignal },
): Promise<Readonly<Record<string, string>>> {
  const handle = client.of<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(resources.secrets)
  try {
    return (await handle.get(name, within)).data ?? {}
  } catch (error) {
    // A pod cannot have used a Secret that does not exist.
    if (isNotFound(error)) return {}
    throw error
  }
}
