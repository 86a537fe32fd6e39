/** ServiceAccount admission: sets the service account of a pod and mounts a token, unless the pod or the account disables it. */
import { isJsonObject, type Json, type JsonObject, type Random } from '../../../../runtime/index.ts'
import { type ApiObject, at, withField } from '../../object.ts'
import { generateName } from '../../rest/metadata.ts'
import { forbidden } from '../../status/status-error.ts'
import type { Store } from '../../storage/store.ts'
import type { Plugin } from '../chain.ts'

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const volumePrefix = 'kube-api-access-'

export function serviceAccounts(store: Store, random: Random): Plugin {
  const accounts = store.collection({ group: '', resource: 'serviceaccounts' })
  return {
    mutate({ operation, resource, subresource, object, namespace, name }) {
      if (operation !== 'CREATE' || resource.resource !== 'pods' || resource.group !== '' || subresource !== undefined)
        return
      const spec = at(object, 'spec')
      if (object === undefined || !isJsonObject(spec)) return
      if (object.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return
      const account = String(spec['serviceAccountName'] || 'default')
      const found = accounts.get(`${namespace}/${account}`)?.object
      if (found === undefined) {
        throw forbidden(
          resource,
          name,
          `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
        )
      }
      const named = { ...spec, serviceAccountName: account, serviceAccount: account }
      const mounted = mounts(spec, found) ? withToken(named, random) : named
      const secrets = found['imagePullSecrets']
      const pull = spec['imagePullSecrets'] === undefined && Array.isArray(secrets) && secrets.length > 0
      return withField(object, 'spec', pull ? { ...mounted, imagePullSecrets: secrets as Json } : mounted)
    },
  }
}

function mounts(spec: JsonObject, account: ApiObject): boolean {
  return (spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'] ?? true) !== false
}

function withToken(spec: JsonObject, random: Random): JsonObject {
  const volumes = listOf(spec['volumes'])
  const existing = volumes.find((volume) => String(volume['name']).startsWith(volumePrefix))
  const name = existing === undefined ? generateName(volumePrefix, random) : String(existing['name'])
  let needed = false
  const mounted = (containers: Json | undefined): readonly Json[] =>
    listOf(containers).map((container) => {
      const present = listOf(container['volumeMounts'])
      if (present.some((mount) => mount['mountPath'] === mountPath)) return container
      needed = true
      return { ...container, volumeMounts: [...present, { name, readOnly: true, mountPath }] }
    })
  const containers = mounted(spec['containers'])
  const init = spec['initContainers'] === undefined ? {} : { initContainers: mounted(spec['initContainers']) }
  const added = needed && existing === undefined ? [tokenVolume(name)] : []
  if (volumes.length + added.length === 0) return spec
  return { ...spec, volumes: [...volumes, ...added], ...init, containers }
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  }
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}
