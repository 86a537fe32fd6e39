/**
 * Keeps what a deletion needs: a Target, and the secret with its kubeconfig, have a finalizer while deploy items use the Target. Otherwise
 * the deletion of a namespace removes them first, and what the items installed elsewhere could not be deleted any more.
 */
import { isConflict, isForbidden, isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { isJsonObject } from '../../runtime/index.ts'
import { LandscaperError } from '../library/errors.ts'
import { landscaperResources, type Target } from '../resources/types.ts'

export const inUseFinalizer = 'deployers.carabiner.dev/in-use'
/** On a Target: the secret that has the finalizer because of it. */
const secretAnnotation = 'deployers.carabiner.dev/in-use-secret'

const maxConflicts = 5

export function isProtected({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(inUseFinalizer) ?? false
}

/** The name of the secret in the namespace of the Target that its kubeconfig comes from. */
export function secretOf({ metadata, spec }: Target): string | undefined {
  const kubeconfig = isJsonObject(spec.config) ? spec.config['kubeconfig'] : undefined
  const reference = isJsonObject(kubeconfig) ? kubeconfig['secretRef'] : undefined
  const { name, namespace = metadata.namespace } = isJsonObject(reference) ? reference : {}
  return typeof name === 'string' && name !== '' && namespace === metadata.namespace ? name : undefined
}

function recordedSecretOf({ metadata }: Target): string | undefined {
  return metadata.annotations?.[secretAnnotation]
}

/** Whether Target and secret have the finalizer, as far as the Target shows it. */
export function isFullyProtected(target: Target): boolean {
  return isProtected(target) && secretOf(target) === recordedSecretOf(target)
}

/** The secret first, because the Target says that it is done. Rejects when the Target is being deleted already. */
export async function protectTarget(client: KubeClient, known: Target, signal: AbortSignal): Promise<void> {
  const handle = client.of<Target>(landscaperResources.targets)
  const { namespace = '', name } = known.metadata
  let target = known
  for (let conflicts = 0; !isFullyProtected(target); conflicts += 1) {
    const { deletionTimestamp, finalizers = [], resourceVersion } = target.metadata
    if (deletionTimestamp !== undefined && !isProtected(target)) throw beingDeleted(target)
    const secret = secretOf(target)
    if (secret !== undefined) await setOnSecret(client, { namespace, name: secret }, 'add', signal)
    const value = {
      metadata: {
        resourceVersion,
        annotations: { [secretAnnotation]: secret ?? null },
        ...(isProtected(target) ? {} : { finalizers: [...finalizers, inUseFinalizer] }),
      },
    }
    try {
      target = await handle.patch(name, { type: 'merge', value }, { namespace, fieldValidation: 'Ignore', signal })
    } catch (error) {
      // The API server allows no new finalizer on an object that is being deleted.
      if (!isConflict(error) || conflicts === maxConflicts) throw isNotFound(error) ? beingDeleted(target) : error
      target = await handle.get(name, { namespace, signal })
    }
  }
}

/** `others` are the other Targets of the namespace that are in use. */
export async function releaseTarget(
  client: KubeClient,
  target: Target,
  others: readonly Target[],
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name, finalizers = [], resourceVersion } = target.metadata
  const stillUsed = new Set(others.flatMap((other) => [secretOf(other), recordedSecretOf(other)]))
  for (const secret of new Set([secretOf(target), recordedSecretOf(target)]))
    if (secret !== undefined && !stillUsed.has(secret))
      await setOnSecret(client, { namespace, name: secret }, 'remove', signal)
  const value = {
    metadata: {
      resourceVersion,
      annotations: { [secretAnnotation]: null },
      finalizers: finalizers.filter((one) => one !== inUseFinalizer),
    },
  }
  const handle = client.of<Target>(landscaperResources.targets)
  await handle.patch(name, { type: 'merge', value }, { namespace, fieldValidation: 'Ignore', signal })
}

/** A secret that is missing or not readable has nothing to keep. */
async function setOnSecret(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  change: 'add' | 'remove',
  signal: AbortSignal,
): Promise<void> {
  const handle = client.of(resources.secrets)
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      const { metadata } = await handle.get(name, { namespace, signal })
      const { finalizers = [], resourceVersion, deletionTimestamp } = metadata
      const has = finalizers.includes(inUseFinalizer)
      if (has === (change === 'add') || (change === 'add' && deletionTimestamp !== undefined)) return
      const next = has ? finalizers.filter((one) => one !== inUseFinalizer) : [...finalizers, inUseFinalizer]
      const value = { metadata: { resourceVersion, finalizers: next } }
      await handle.patch(name, { type: 'merge', value }, { namespace, answer: 'metadata', signal })
      return
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return
      if (!isConflict(error) || conflicts === maxConflicts) throw error
    }
  }
}

function beingDeleted({ metadata: { namespace, name } }: Target): LandscaperError {
  return new LandscaperError(
    'ReadTarget',
    'TargetBeingDeleted',
    `spec.target.name: Target ${name} in namespace ${namespace} is being deleted`,
    { codes: ['ERR_CONFIGURATION_PROBLEM'], isAwaited: true },
  )
}
