/** Whether the volumes of a pod could be mounted. Nothing is mounted: only what they refer to must exist. */
import type { KeyToPath, Pod, Volume } from '../../../kube/kinds/index.ts'
import { MissingReference, type Reference, type References } from './references.ts'

interface Source extends Reference {
  readonly items: readonly KeyToPath[]
}

function sourcesOf({ configMap, secret, projected }: Volume): readonly Source[] {
  const sources: Source[] = []
  const add = (
    kind: Source['kind'],
    name: string | undefined,
    given: { readonly items?: readonly KeyToPath[]; readonly optional?: boolean },
  ) => sources.push({ kind, name: name ?? '', optional: given.optional === true, items: given.items ?? [] })
  if (configMap !== undefined) add('configmap', configMap.name, configMap)
  if (secret !== undefined) add('secret', secret.secretName, secret)
  for (const source of projected?.sources ?? []) {
    if (source.configMap !== undefined) add('configmap', source.configMap.name, source.configMap)
    if (source.secret !== undefined) add('secret', source.secret.name, source.secret)
  }
  return sources
}

/** The message of the kubelet about the first volume that cannot be mounted. */
export async function failedMount(pod: Pod, references: References): Promise<string | undefined> {
  for (const volume of pod.spec.volumes ?? []) {
    try {
      for (const source of sourcesOf(volume)) await checkSource(pod, source, references)
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error
      return `MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`
    }
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined && !(await references.hasClaim(pod, claim))) return unknownClaim(pod, volume.name, claim)
  }
  return undefined
}

async function checkSource(pod: Pod, source: Source, references: References): Promise<void> {
  const data = await references.data(pod, source)
  if (data === undefined || source.optional) return
  const missing = source.items.find(({ key }) => !Object.hasOwn(data, key))
  if (missing === undefined) return
  const what = source.kind === 'configmap' ? 'config' : 'secret'
  throw new MissingReference(`references non-existent ${what} key: ${missing.key}`)
}

function unknownClaim(pod: Pod, volume: string, claim: string): string {
  const why = `error processing PVC ${pod.metadata.namespace}/${claim}: failed to fetch PVC from API server: persistentvolumeclaims "${claim}" not found`
  return `Unable to attach or mount volumes: unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]: ${why}`
}
