import { describe, expect, it } from 'vitest'
import type { Revision } from '../observe/world.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { RolloutPolicySpec } from '../policy/types.ts'
import { bypassingRevision } from './bypassed.ts'
import type { TargetWorld } from './target-world.ts'

const spec: RolloutPolicySpec = {
  targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
  lifecycle: { pre: { failurePolicy: 'Abort', jobSpec: { template: { spec: { containers: [] } } } } },
} as never
const seen = { uid: 'w', hash: 'old', revision: 'db-1' }

interface Given {
  readonly ready?: { readonly status: string; readonly reason: string }
  readonly template?: typeof seen
  readonly strategy?: string
  readonly spec?: RolloutPolicySpec
  readonly revisionName?: string
}

/** The template is a new one, and nothing holds the workload. */
function worldOf({ ready = { status: 'True', reason: 'AtRest' }, revisionName = 'db-2', ...given }: Given = {}) {
  const status = { template: given.template ?? seen, conditions: [{ type: 'Ready', ...ready }] }
  return {
    policy: { metadata: { name: 'db' }, spec: given.spec ?? spec, status },
    compiled: compilePolicy(given.spec ?? spec),
    workload: {
      kind: 'StatefulSet',
      metadata: { name: 'db', uid: 'w' },
      spec: { updateStrategy: { type: given.strategy ?? 'RollingUpdate' } },
    },
    templateHash: 'new',
    revisions: [{ name: revisionName, templateHash: 'new' } as Revision],
  } as unknown as TargetWorld
}

describe('a template that passed without hooks', () => {
  it('is the one that a ready policy has not seen, and stays so until it is accounted for', () => {
    expect(bypassingRevision(worldOf())?.name).toBe('db-2')
    const reported = { status: 'False', reason: 'GateOpenToYou' }
    expect(bypassingRevision(worldOf({ ready: reported }))?.name).toBe('db-2')
  })

  it.each<[string, Given]>([
    ['the policy was suspended', { ready: { status: 'True', reason: 'Suspended' } }],
    ['the workload was released', { ready: { status: 'True', reason: 'Released' } }],
    ['the policy was not ready', { ready: { status: 'False', reason: 'GateMissing' } }],
    ['the workload is another one', { template: { ...seen, uid: 'before' } }],
    ['the template is the one that was seen', { template: { ...seen, hash: 'new' } }],
    ['its revision is the one that was seen', { revisionName: 'db-1' }],
    ['the owner rolls it out by hand', { strategy: 'OnDelete' }],
    ['the policy has no hooks', { spec: { targetRef: spec.targetRef } as RolloutPolicySpec }],
  ])('is not reported when %s', (_, given) => {
    expect(bypassingRevision(worldOf(given))).toBeUndefined()
  })
})
