/** Checks an installation with a dry run before anything is changed, so that a refusal in the middle does not leave half of it. */
import type { KubeClient, KubeObject } from '../../kube/index.ts'
import { isNotFound, unless } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { applyObject } from '../../operator/index.ts'

/** Objects of a namespace that does not exist yet, and bindings to roles that do not, cannot be tried. */
export async function tryInstallation(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  const hasNamespace = new Map<string, boolean>()
  for (const { kind, metadata } of objects) {
    if (kind !== 'Namespace') continue
    const found = await client.of(resources.namespaces).get(metadata.name).catch(unless(isNotFound))
    hasNamespace.set(metadata.name, found !== undefined)
  }
  for (const object of objects) {
    const { namespace } = object.metadata
    const isTried = namespace === undefined || hasNamespace.get(namespace) === true
    if (isTried && !/^(Cluster)?RoleBinding$/.test(object.kind)) await applyObject(client, object, { dryRun: true })
  }
}
