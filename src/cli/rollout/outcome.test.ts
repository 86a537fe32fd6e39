import { expect, it } from 'vitest'
import { ledger, policyWith, workloadWith } from '../../../test/cli/policy.ts'
import { outcomeOf } from './outcome.ts'

const held = workloadWith({ 'carabiner.dev/hold': 'gate' })

it('tells at rest, failed and going apart', () => {
  expect(outcomeOf(policyWith('Ready', 'AtRest'), workloadWith({}))).toBe('settled')
  expect(outcomeOf(policyWith('Reconciling', 'Progressing', ledger), held)).toBe('going')
  expect(outcomeOf(policyWith('Stalled', 'Aborted', { ...ledger, phase: 'Aborted' }), held)).toBe('failed')
  expect(outcomeOf(policyWith('Stalled', 'TargetNotFound'), undefined)).toBe('failed')
})

it('knows of a new template before the engine does', () => {
  const before = { ...ledger, templateHash: 'other', phase: 'Complete' as const }
  expect(outcomeOf(policyWith('Ready', 'Complete', before), held)).toBe('going')
  expect(outcomeOf(policyWith('Stalled', 'Aborted', { ...before, phase: 'Aborted' }), held)).toBe('going')
})

it('knows of another attempt before the engine does', () => {
  const aborted = policyWith('Stalled', 'Aborted', { ...ledger, phase: 'Aborted', endedAt: '2026-01-01T00:01:30.000Z' })
  const annotations = { 'carabiner.dev/retry': ledger.id }
  expect(outcomeOf({ ...aborted, metadata: { ...aborted.metadata, annotations } }, undefined)).toBe('going')
})
