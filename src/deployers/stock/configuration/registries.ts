/**
 * Reads registry credentials from the pull secrets of the item and its context, which are in the item's namespace: the deployer may read
 * secrets that the author of an item may not. They are written only into a file for helm or into a pull secret of the item's pod.
 */
import { isForbidden, isNotFound, type KubeObject } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { isJsonObject, type JsonObject, textFromBase64 } from '../../../runtime/index.ts'
import type { DeployContext } from '../../library/deployer.ts'
import { configurationProblem } from '../../library/errors.ts'

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> }

export async function registryConfiguration(context: DeployContext<unknown>): Promise<JsonObject | undefined> {
  const { deployItem, lsContext, clients, signal } = context
  const { namespace: home = '' } = deployItem.metadata
  const references = [...(lsContext.registryPullSecrets ?? []), ...(deployItem.spec.registryPullSecrets ?? [])]
  const auths: Record<string, JsonObject[string]> = {}
  for (const { name, namespace = home } of references as readonly { name: string; namespace?: string }[]) {
    if (namespace !== home && namespace !== '')
      throw configurationProblem(
        'ReadPullSecrets',
        `registryPullSecrets: "${namespace}/${name}" is outside the item's namespace "${home}": copy the secret there and leave the namespace out.`,
      )
    const secret = await clients.landscaper
      .of<Secret>(resources.secrets)
      .get(name, { namespace: home, signal })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isForbidden(error)) throw error
        throw configurationProblem(
          'ReadPullSecrets',
          `the registry pull secret "${home}/${name}" cannot be read.`,
          error,
        )
      })
    Object.assign(auths, authsIn(secret, `${home}/${name}`))
  }
  return references.length === 0 ? undefined : { auths }
}

function authsIn({ data = {} }: Secret, name: string): JsonObject {
  try {
    const found = JSON.parse(textFromBase64(data['.dockerconfigjson'] ?? '')) as unknown
    const auths = isJsonObject(found) ? found['auths'] : undefined
    if (isJsonObject(auths)) return auths
  } catch {
    // Do not quote the content: even invalid JSON may contain a credential.
  }
  throw configurationProblem(
    'ReadPullSecrets',
    `the registry pull secret "${name}" has no .dockerconfigjson with auths.`,
  )
}
