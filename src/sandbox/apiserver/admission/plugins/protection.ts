/**
 * Adds the not-ready taint to new nodes and the protection finalizer to new PersistentVolumeClaims
 * (TaintNodesByCondition, StorageObjectInUseProtection).
 */
import { isJsonObject, type Json } from '../../../../runtime/index.ts'
import { type ApiObject, at, withField, withMetadata } from '../../object.ts'
import type { Attributes } from '../admission.ts'
import type { Plugin } from '../chain.ts'

const claimProtection = 'kubernetes.io/pvc-protection'
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** The node controller and the volume controller remove them again. */
export const protection: Plugin = {
  mutate(attributes) {
    const { object } = attributes
    if (object === undefined) return
    if (isNew(attributes, 'persistentvolumeclaims')) return protectedClaim(object)
    return isNew(attributes, 'nodes') ? taintedNode(object) : undefined
  },
}

function isNew({ operation, resource, subresource }: Attributes, wanted: string): boolean {
  return operation === 'CREATE' && resource.group === '' && resource.resource === wanted && subresource === undefined
}

function protectedClaim(claim: ApiObject): ApiObject {
  const finalizers = claim.metadata.finalizers ?? []
  if (finalizers.includes(claimProtection)) return claim
  return withMetadata(claim, { finalizers: [...finalizers, claimProtection] })
}

function taintedNode(node: ApiObject): ApiObject {
  const spec = at(node, 'spec')
  const taints = at(spec, 'taints')
  const present = Array.isArray(taints) ? (taints as readonly Json[]) : []
  const tainted = present.some((taint) => at(taint, 'key') === notReady.key && at(taint, 'effect') === notReady.effect)
  return tainted
    ? node
    : withField(node, 'spec', { ...(isJsonObject(spec) ? spec : {}), taints: [...present, notReady] })
}
