/** Conditions in the status of a definition. */
import type { JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { type ApiObject, withField } from '../object.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Returns the object with the condition set; lastTransitionTime changes only with the condition's status. */
export function withCondition(object: ApiObject, condition: Condition, now: string): ApiObject {
  const status = objectAt(object, 'status')
  const conditions = listAt(status, 'conditions')
  const before = conditions.find(({ type }) => type === condition.type)
  const isSame =
    before?.['status'] === condition.status &&
    before['reason'] === condition.reason &&
    before['message'] === condition.message
  if (isSame) return object
  const lastTransitionTime = before?.['status'] === condition.status ? (before['lastTransitionTime'] ?? now) : now
  const next: JsonObject = {
    type: condition.type,
    status: condition.status,
    lastTransitionTime,
    reason: condition.reason,
    message: condition.message,
  }
  const list =
    before === undefined
      ? [...conditions, next]
      : conditions.map((one) => (one['type'] === condition.type ? next : one))
  return withField(object, 'status', { ...status, conditions: list })
}

export function isTrue(object: ApiObject, type: string): boolean {
  return listAt(objectAt(object, 'status'), 'conditions').some(
    (condition) => condition['type'] === type && condition['status'] === 'True',
  )
}
