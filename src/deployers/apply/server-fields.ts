/**
 * Fields that the server sets and that a full update would remove or be refused for. They are copied from the live object where the
 * manifest leaves them out.
 */
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'

const serverFieldPaths: Readonly<Record<string, readonly (readonly string[])[]>> = {
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

export function withServerFields(manifest: JsonObject, live: JsonObject): JsonObject {
  const kind = live['kind']
  let result = manifest
  for (const path of (typeof kind === 'string' ? serverFieldPaths[kind] : undefined) ?? [])
    result = copyField(result, live, path)
  return result
}

function copyField(into: JsonObject, from: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const value = from[key]
  if (value === undefined) return into
  const own = into[key]
  if (rest.length === 0) {
    // The API server generates the pod labels of a Job together with its selector; they must stay together.
    if (isJsonObject(value) && isJsonObject(own)) return { ...into, [key]: { ...value, ...own } }
    return own === undefined || own === '' ? { ...into, [key]: value } : into
  }
  if (!isJsonObject(value)) return into
  const below: Json = own === undefined ? {} : own
  if (!isJsonObject(below)) return into
  const carried = copyField(below, value, rest)
  return carried === below ? into : { ...into, [key]: carried }
}
