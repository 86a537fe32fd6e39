/**
 * The samples of `carabiner up`: reads all manifests below a folder in the order of their file names, applies them and waits until they are
 * complete.
 */
import { join } from 'node:path'
import { landscaperProgress } from '../../deployers/index.ts'
import { type KubeClient, type KubeObject, type ObjectProgress, progressOf, until } from '../../kube/index.ts'
import { parseManifests } from '../../kube/manifest/index.ts'
import { append, CarabinerError, type Files, type Runtime } from '../../runtime/index.ts'

export async function readSamples(files: Files, folder: string): Promise<KubeObject[]> {
  if ((await files.facts(folder))?.kind !== 'directory') {
    throw new CarabinerError('CRB_FILE_NOT_FOUND', `the samples folder ${folder} does not exist`)
  }
  const objects: KubeObject[] = []
  for (const name of await files.list(folder)) {
    const path = join(folder, name)
    if ((await files.facts(path))?.kind === 'directory') append(objects, await readSamples(files, path))
    else if (isManifest(name)) append(objects, parseManifests(await files.readText(path), path))
  }
  return objects
}

/** Test cases of hooks and deployers are in the same folders, but are not manifests. */
const isManifest = (name: string): boolean => /(?<!\.hooktest|\.case)\.(ya?ml|json)$/.test(name)

/** Applies the objects in order; waits for each CustomResourceDefinition, because its custom resources may follow. */
export async function applySamples(
  client: KubeClient,
  runtime: Runtime,
  samples: readonly KubeObject[],
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const applied: KubeObject[] = []
  for (const sample of samples) {
    const handle = await client.find(sample.apiVersion, sample.kind)
    const { namespace = 'default', ...metadata } = sample.metadata
    const placed = handle.type.namespaced ? { ...sample, metadata: { ...metadata, namespace } } : sample
    applied.push(await handle.apply(placed, { fieldManager: 'carabiner-up' }))
    if (sample.kind === 'CustomResourceDefinition') await untilEnd(client, runtime, placed, signal)
  }
  return applied
}

/** Waits until an object is complete or failed. */
export async function untilEnd(
  client: KubeClient,
  runtime: Runtime,
  { apiVersion, kind, metadata }: KubeObject,
  signal: AbortSignal,
): Promise<ObjectProgress> {
  const handle = await client.find(apiVersion, kind)
  const progress = (object: KubeObject) => landscaperProgress(object) ?? progressOf(object)
  return progress(
    await until(handle, runtime, { ...metadata, signal }, (object) => progress(object).state !== 'working'),
  )
}
