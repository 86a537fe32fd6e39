/** A run's identity, read back from what is derived from it: its key, and the name and labels of its object. */

/** On the Job or pod of a run: the name of the hook. */
export const hookLabel = 'carabiner.dev/hook'

export interface ObjectIdentity {
  readonly hook: string
  readonly attempt: number
}

/** Of a Job or pod that carries out a run: `objectName` ends with the attempt. */
export function identityOf(object: {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}): ObjectIdentity {
  const { name, labels } = object
  return { hook: labels[hookLabel] ?? '', attempt: Number(name.slice(name.lastIndexOf('-') + 1)) }
}

export interface KeyParts {
  /** The part that all attempts share. */
  readonly prefix: string
  readonly attempt: number
}

/** Of a key that `runKey` made. */
export function partsOfKey(key: string): KeyParts {
  const end = key.lastIndexOf('/')
  return { prefix: key.slice(0, end), attempt: Number(key.slice(end + 1)) }
}
