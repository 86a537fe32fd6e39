import { expect, it, vi } from 'vitest'
import type { RolloutPolicy } from '../policy/types.ts'
import { PackedPolicy } from './packed-policy.ts'

const policy = {
  apiVersion: 'carabiner.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '7' },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  status: { gate: 'policies', history: [{ id: 'a', to: 'web-1', phase: 'Complete' }] },
} as unknown as RolloutPolicy

it('gives back the policy it was made from, with and without a history', () => {
  expect(new PackedPolicy(policy).open()).toEqual(policy)
  expect({ ...new PackedPolicy(policy).open().status }).toEqual(policy.status)
  expect(JSON.stringify(new PackedPolicy(policy).open())).toBe(JSON.stringify(policy))
  for (const status of [undefined, {}, { gate: 'webhook' }]) {
    const young = { ...policy, ...(status === undefined ? {} : { status }) } as RolloutPolicy
    expect(new PackedPolicy(young).open()).toEqual(young)
  }
})

it('is found by the workload it speaks of', () => {
  const { key, uid, version, target } = new PackedPolicy(policy)
  expect({ key, uid, version, target }).toEqual({
    key: 'shop/web',
    uid: 'u',
    version: '7',
    target: 'Deployment/shop/web',
  })
})

it('does not parse the history unless it is read', () => {
  const packed = new PackedPolicy(policy)
  const parse = vi.spyOn(JSON, 'parse')
  const { status } = packed.open()
  expect([status?.gate, parse.mock.calls.length]).toEqual(['policies', 1])
  expect([status?.history?.[0]?.to, parse.mock.calls.length]).toEqual(['web-1', 2])
  parse.mockRestore()
})
