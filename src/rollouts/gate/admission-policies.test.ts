import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import { admissionPolicies } from './admission-policies.ts'
import { validatingPolicies } from './validating-policies.ts'

interface Policy extends KubeObject {
  readonly spec?: {
    readonly matchConstraints?: {
      readonly resourceRules?: readonly {
        readonly operations: readonly string[]
        readonly resources: readonly string[]
      }[]
      readonly objectSelector?: {
        readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[]
      }
    }
  }
}

describe('admission policies', () => {
  const all = [...admissionPolicies('engine'), ...validatingPolicies('engine')] as readonly Policy[]
  const policies = all.filter(({ kind }) => !kind.endsWith('Binding'))

  it('are evaluated only for workloads that have a label of ours, and one for policies', () => {
    const keys = policies.map(({ metadata, spec }) => [
      metadata.name,
      spec?.matchConstraints?.objectSelector?.matchExpressions?.map(({ key, operator }) => `${operator} ${key}`),
    ])
    expect(Object.fromEntries(keys)).toEqual({
      'carabiner-close': [`Exists ${optInLabel}`],
      'carabiner-closed': [`Exists ${optInLabel}`],
      'carabiner-pin': [`Exists ${holdLabel}`, `DoesNotExist ${optInLabel}`],
      'carabiner-pinned': [`Exists ${holdLabel}`, `DoesNotExist ${optInLabel}`],
      'carabiner-warn-held': [`Exists ${holdLabel}`],
      'carabiner-warn-policy': undefined,
      'carabiner-warn-released': [`Exists ${releaseLabel}`],
    })
  })

  it('are asked about creation of Deployments alone', () => {
    const writes = policies.map(({ metadata, spec }) => [
      metadata.name,
      spec?.matchConstraints?.resourceRules
        ?.flatMap(({ operations, resources }) => resources.map((resource) => `${operations.join()} ${resource}`))
        .toSorted(),
    ])
    const updates = ['UPDATE daemonsets', 'UPDATE deployments', 'UPDATE statefulsets']
    const holdable = ['CREATE,UPDATE deployments', 'UPDATE daemonsets', 'UPDATE statefulsets']
    expect(Object.fromEntries(writes)).toEqual({
      'carabiner-close': holdable,
      'carabiner-closed': holdable,
      'carabiner-pin': updates,
      'carabiner-pinned': holdable,
      'carabiner-warn-held': updates,
      'carabiner-warn-policy': ['CREATE,UPDATE rolloutpolicies'],
      'carabiner-warn-released': updates,
    })
  })
})
