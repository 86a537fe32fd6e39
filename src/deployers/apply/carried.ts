/**
 * Fields that only the cluster knows and that a full update would lose or be refused for. They are taken over from the live object
 * wherever the manifest says nothing about them.
 */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/json.ts'

const paths: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Job: [
    ['spec', 'selector'],
    ['spec', 'template', 'metadata', 'labels'],
  ],
  Service: [
    ['spec', 'clusterIP'],
    ['spec', 'clusterIPs'],
    ['spec', 'ipFamilies'],
    ['spec', 'ipFamilyPolicy'],
    ['spec', 'healthCheckNodePort'],
  ],
  ServiceAccount: [['secrets'], ['imagePullSecrets']],
  PersistentVolumeClaim: [
    ['spec', 'volumeName'],
    ['spec', 'storageClassName'],
    ['spec', 'volumeMode'],
  ],
  PersistentVolume: [['spec', 'claimRef']],
}

export function withCarriedFields(manifest: JsonObject, live: JsonObject): JsonObject {
  const kind = live['kind']
  let result = manifest
  for (const path of (typeof kind === 'string' ? paths[kind] : undefined) ?? []) result = carry(result, live, path)
  return result
}

function carry(into: JsonObject, from: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const value = from[key]
  if (value === undefined) return into
  const own = into[key]
  if (rest.length === 0) {
    // Labels of a Job's pods come together with the selector that fits them.
    if (isJsonObject(value) && isJsonObject(own)) return { ...into, [key]: { ...value, ...own } }
    return own === undefined || own === '' ? { ...into, [key]: value } : into
  }
  if (!isJsonObject(value)) return into
  const below: Json = own === undefined ? {} : own
  if (!isJsonObject(below)) return into
  const carried = carry(below, value, rest)
  return carried === below ? into : { ...into, [key]: carried }
}
