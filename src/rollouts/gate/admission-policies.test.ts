import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import { admissionPolicies } from './admission-policies.ts'
import { validatingPolicies } from './validating-policies.ts'

interface Policy extends KubeObject {
  readonly spec?: {
    readonly matchConstraints?: {
      readonly objectSelector?: {
        readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[]
      }
    }
  }
}

describe('admission policies', () => {
  it('are asked only about workloads that have a label of ours', () => {
    const all = [...admissionPolicies('engine'), ...validatingPolicies('engine')] as readonly Policy[]
    const keys = all
      .filter(({ kind }) => !kind.endsWith('Binding'))
      .map(({ metadata, spec }) => [
        metadata.name.replace(/-(deployments|statefulsets|daemonsets)$/, ''),
        spec?.matchConstraints?.objectSelector?.matchExpressions?.map(({ key, operator }) => `${operator} ${key}`),
      ])
    expect(Object.fromEntries(keys)).toEqual({
      'carabiner-close': [`Exists ${optInLabel}`],
      'carabiner-closed': [`Exists ${optInLabel}`],
      'carabiner-pin': [`Exists ${holdLabel}`, `DoesNotExist ${optInLabel}`],
      'carabiner-pinned': [`Exists ${holdLabel}`, `DoesNotExist ${optInLabel}`],
      'carabiner-warn-held': [`Exists ${holdLabel}`],
      'carabiner-warn-released': [`Exists ${releaseLabel}`],
    })
  })
})
