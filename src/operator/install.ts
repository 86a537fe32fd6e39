/**
 * Applies the objects that surfaces need: CustomResourceDefinitions first, then all others. Server-side apply makes a second run a
 * no-op and updates an older installation.
 */
import { applyWebhooks, type KubeClient, type KubeObject, progressOf, until, untilServed } from '../kube/index.ts'
import { resources } from '../kube/kinds/index.ts'
import type { Runtime } from '../runtime/index.ts'
import type { Surface } from './surface.ts'

const fieldManager = 'carabiner-install'

export async function install(
  client: KubeClient,
  runtime: Runtime,
  surfaces: readonly Surface[],
  signal: AbortSignal,
): Promise<void> {
  const objects = surfaces.flatMap((surface) => surface.resources)
  await applyAll(client, runtime, objects, { signal })
}

export interface ApplyOptions {
  readonly signal: AbortSignal
  /** Called after each object. */
  readonly onApplied?: (object: KubeObject) => void
}

export async function applyAll(
  client: KubeClient,
  runtime: Runtime,
  objects: readonly KubeObject[],
  { signal, onApplied = () => undefined }: ApplyOptions,
): Promise<void> {
  const definitions = objects.filter((object) => object.kind === 'CustomResourceDefinition')
  for (const definition of definitions) {
    await applyObject(client, definition)
    onApplied(definition)
  }
  // The API server refuses custom resources until their definition is established.
  for (const definition of definitions) {
    await until(
      client.of(resources.customResourceDefinitions),
      runtime,
      { ...definition.metadata, signal },
      (found) => progressOf(found).state === 'done',
    )
    await untilServed(client.discovery, runtime.clock, definition, signal)
  }
  for (const object of objects.filter((object) => !definitions.includes(object))) {
    await applyObject(client, object)
    onApplied(object)
  }
}

/** With `dryRun` the API server only says whether it would accept the object. */
export async function applyObject(
  client: KubeClient,
  object: KubeObject,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<void> {
  const handle = await client.find(object.apiVersion, object.kind)
  const options = { fieldManager, dryRun }
  if (object.kind.endsWith('WebhookConfiguration')) return applyWebhooks(handle, object, options)
  await handle.apply(object, { ...options, force: true })
}
