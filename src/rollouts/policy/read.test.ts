import { describe, expect, it } from 'vitest'
import { readPolicy } from './read.ts'

const execNewPod = { containerName: 'main', command: ['true'] }
const trigger = { progressAvailableParams: { progressPoint: '50%' } }
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const policy = (spec: object | undefined, name = 'web') => ({
  ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name } },
  ...(spec === undefined ? {} : { spec }),
})
const withHook = (hook: object) =>
  policy({ targetRef, lifecycleHooks: [{ name: 'smoke', trigger, execNewPod, ...hook }] })
const asking = (approval: object) => policy({ targetRef, lifecycleHooks: [{ name: 'ask', trigger, approval }] })

describe('a policy from a file', () => {
  it('has the defaults that a server would give it', () => {
    expect(readPolicy(withHook({})).spec).toMatchObject({
      onAbort: 'Hold',
      lifecycleHooks: [{ failurePolicy: 'Abort', retainPolicy: 'OnFailure', trigger: { type: 'ProgressAvailable' } }],
    })
  })

  it.each([
    ['no spec', policy(undefined), 'policy web: spec: Required value'],
    ['no target', policy({ lifecycleHooks: [] }), 'policy web: spec.targetRef: Required value'],
    ['a misspelt field', withHook({ failurePolcy: 'Ignore' }), 'spec.lifecycleHooks[0].failurePolcy: there is no such'],
    ['another value', withHook({ failurePolicy: 'ignore' }), 'spec.lifecycleHooks[0].failurePolicy: Unsupported value'],
    ['no point', withHook({ trigger: {} }), 'progressAvailableParams must be given for type ProgressAvailable'],
    ['two actions', withHook({ approval: {} }), 'exactly one of jobSpec, execNewPod, http, approval must be given'],
    [
      'a time that is none',
      asking({ timeout: 'soon' }),
      'spec.lifecycleHooks[0].approval.timeout: Invalid value: "soon"',
    ],
    [
      'a name too long for labels',
      policy({ targetRef }, 'w'.repeat(64)),
      'metadata.name of a policy has at most 63 characters',
    ],
  ])('is refused with %s', (_, written, message) => {
    expect(() => readPolicy(written)).toThrow(
      expect.objectContaining({ code: 'CRB_MANIFEST_INVALID', message: expect.stringContaining(message) }),
    )
  })
})
