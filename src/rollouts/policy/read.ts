/**
 * A policy that no server has seen yet, taken as a server would take it: fields that there are not and values that are not allowed are named,
 * and what is left out gets its default. A plan from a file reports at once what the cluster would refuse later.
 */
import type { KubeObject } from '../../kube/index.ts'
import { CarabinerError, type Json } from '../../runtime/index.ts'
import { applyDefaults, formatFieldError, prune, validate } from '../../schema/index.ts'
import { policySchema } from './definition.ts'
import type { RolloutPolicy } from './types.ts'

export function readPolicy(written: KubeObject): RolloutPolicy {
  const complete = applyDefaults(written as unknown as Json, policySchema)
  const { unknown } = prune(complete, policySchema, { root: true })
  const complaints = [
    ...unknown.map((field) => `${field}: there is no such field`),
    ...validate(complete, policySchema).map((error) =>
      error.field === '<nil>' ? error.detail : formatFieldError(error),
    ),
  ]
  if (complaints.length === 0) return complete as unknown as RolloutPolicy
  throw new CarabinerError('CRB_MANIFEST_INVALID', `policy ${written.metadata.name}: ${complaints.join('; ')}`, {
    remedy: 'Fix the fields that the message names; kubectl explain rop.spec lists all fields.',
  })
}
