import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import { admissionPolicies } from './admission-policies.ts'
import { validatingPolicies } from './validating-policies.ts'

interface Policy extends KubeObject {
  readonly spec?: {
    readonly matchConstraints?: {
      readonly objectSelector?: { readonly matchExpressions?: readonly { readonly key: string }[] }
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
        spec?.matchConstraints?.objectSelector?.matchExpressions?.map(({ key }) => key).join(),
      ])
    expect(Object.fromEntries(keys)).toEqual({
      'carabiner-close': optInLabel,
      'carabiner-closed': optInLabel,
      'carabiner-pin': holdLabel,
      'carabiner-pinned': holdLabel,
      'carabiner-warn-held': holdLabel,
      'carabiner-warn-released': releaseLabel,
    })
  })
})
