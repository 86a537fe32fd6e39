/** Fields that an endpoint resets, so a write through it must not own them (`resetFields` strategy of the real API server). */
import type { ServedResource } from '../resource.ts'
import { typeModel } from '../types/model.ts'
import { FieldSet } from './field-set.ts'

const none = new FieldSet()
const status = FieldSet.of(['f:status'])
const spec = FieldSet.of(['f:spec'])
const specAndMetadata = FieldSet.of(['f:spec'], ['f:metadata'])
const byStatusOf: Readonly<Record<string, FieldSet>> = {
  Deployment: FieldSet.of(['f:spec'], ['f:metadata', 'f:labels']),
  Pod: FieldSet.of(['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']),
  CustomResourceDefinition: specAndMetadata,
}

export function resetFields(resource: ServedResource, subresource: string): FieldSet {
  if (subresource === 'status') {
    const isBuiltIn = typeModel().kindDefinition(resource.group, resource.version, resource.kind) !== undefined
    return isBuiltIn ? (byStatusOf[resource.kind] ?? spec) : specAndMetadata
  }
  const hasStatus = resource.subresources.some(({ name }) => name === 'status')
  return hasStatus ? status : none
}

/** Never part of managedFields: identity fields and fields the API server sets. */
export const untracked = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
)
