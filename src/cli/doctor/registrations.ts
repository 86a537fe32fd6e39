/** Checks what an installation has left in the cluster: parts of the gate and the resource definition, and of which version they are. */
import { isForbidden, isNotFound, type KubeClient, unless } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { comparedGate, isSameDefinition, rolloutPolicyDefinition } from '../../rollouts/index.ts'
import type { Finding } from './finding.ts'

export async function registrationFindings(client: KubeClient): Promise<readonly Finding[]> {
  const [gate, definition] = await Promise.all([gateParts(client), definitionFinding(client)])
  return [...gate, ...definition]
}

async function gateParts(client: KubeClient): Promise<readonly Finding[]> {
  const { missing, different, leftover } = await comparedGate(client)
  const name = 'gate parts'
  const again = 'Install again with this version: `carabiner install`, or `carabiner run --install`.'
  return [
    ...(leftover.length === 0
      ? []
      : [
          {
            name,
            state: 'missing',
            detail: `left over from another gate or version: ${leftover.join(', ')}`,
            remedy: `They still decide about changes. Remove them: kubectl delete ${leftover.join(' ')}`,
          } as const,
        ]),
    ...(missing.length === 0
      ? []
      : [{ name, state: 'missing', detail: `not installed: ${missing.join(', ')}`, remedy: again } as const]),
    ...(different.length === 0
      ? []
      : [
          {
            name,
            state: 'optional',
            detail: `of another version than this program: ${different.join(', ')}`,
            remedy: again,
          } as const,
        ]),
  ]
}

async function definitionFinding(client: KubeClient): Promise<readonly Finding[]> {
  const handle = client.of(resources.customResourceDefinitions)
  const { name } = rolloutPolicyDefinition.metadata
  const found = await handle.get(name).catch(unless(isNotFound, isForbidden))
  if (found === undefined || isSameDefinition(found)) return []
  return [
    {
      name: 'definition',
      state: 'optional',
      detail: `customresourcedefinition/${name} is of another version than this program`,
      remedy: 'Install again with this version: `carabiner install`, or `carabiner run --install`.',
    },
  ]
}
