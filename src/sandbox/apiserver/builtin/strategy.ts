/**
 * The rules every built-in kind shares: what a write to the object may not touch, what a write to `status` may, and how the
 * generation counts. Fields, defaults and validation of each kind come from the type model.
 */
import type { Runtime } from '../../../runtime/runtime.ts'
import { type ApiObject, withField, withMetadata } from '../object.ts'
import type { Strategy } from '../resource.ts'
import {
  maskTrailingDash,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validatePathSegment,
} from '../selectors/names.ts'
import { equal } from '../storage/share.ts'
import type { KindRules } from './rules.ts'

type Shared =
  | 'prepareForCreate'
  | 'prepareForUpdate'
  | 'validateName'
  | 'selectableFields'
  | 'gracePeriodSeconds'
  | 'garbageCollection'
  | 'returnsDeleted'
  | 'held'
  | 'createOnUpdate'
  | 'unconditionalUpdate'

export function sharedRules(rules: KindRules, hasStatus: boolean, runtime: Runtime): Pick<Strategy, Shared> {
  const counted = rules.generation ?? 'counted'
  const { gracePeriodSeconds, garbageCollection, returnsDeleted, held, createOnUpdate, unconditionalUpdate } = rules
  return {
    prepareForCreate(object) {
      const bare = hasStatus && rules.keepsStatus !== true ? withField(object, 'status', {}) : object
      const first = withMetadata(bare, { generation: counted === 'none' ? undefined : 1 })
      return rules.create?.(first, { now: runtime.clock.now(), random: runtime.random }) ?? first
    },
    prepareForUpdate(object, old, subresource) {
      if (subresource === 'status') {
        const kept = statusUpdate(object, old)
        return rules.update?.(kept, old, subresource) ?? kept
      }
      const kept = hasStatus ? withField(object, 'status', old['status']) : object
      const changed = rules.update?.(kept, old, subresource) ?? kept
      return withMetadata(changed, {
        generation: counted === 'none' ? undefined : nextGeneration(changed, old, counted !== 'counted'),
      })
    },
    validateName(name, prefix) {
      const checked = prefix ? maskTrailingDash(name) : name
      return nameRules[rules.names ?? 'subdomain'](checked)
    },
    selectableFields: rules.fields ?? {},
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(garbageCollection === undefined ? {} : { garbageCollection }),
    ...(returnsDeleted === undefined ? {} : { returnsDeleted }),
    ...(held === undefined ? {} : { held }),
    ...(createOnUpdate === undefined ? {} : { createOnUpdate }),
    ...(unconditionalUpdate === undefined ? {} : { unconditionalUpdate }),
  }
}

const nameRules = {
  subdomain: validateDnsSubdomain,
  label: validateDnsLabel,
  service: validateDns1035Label,
  path: validatePathSegment,
} as const

/** Everything but the status and some metadata comes from the old object. */
function statusUpdate(object: ApiObject, old: ApiObject): ApiObject {
  return withMetadata(withField({ ...old, metadata: object.metadata }, 'status', object['status']), {
    generation: old.metadata.generation,
  })
}

function nextGeneration(object: ApiObject, old: ApiObject, annotations: boolean): number {
  const before = old.metadata.generation ?? 1
  if (annotations && !equal(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})) return before + 1
  const fields = new Set([...Object.keys(object), ...Object.keys(old)])
  for (const field of fields) {
    if (field === 'metadata' || field === 'status' || field === 'apiVersion' || field === 'kind') continue
    if (!equal(object[field], old[field])) return before + 1
  }
  return before
}
