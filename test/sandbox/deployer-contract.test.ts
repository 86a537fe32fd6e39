/** The contract of deployers, promise by promise, against the API server in virtual time. */
import { describe, expect, it } from 'vitest'
import { defineDeployer } from '../../src/deployers/library/deployer.ts'
import { itemType, onStage } from './deployers.ts'

describe('a run', () => {
  it('installs, says so, and is left alone afterwards', () =>
    onStage(async (stage) => {
      let calls = 0
      await stage.deploy(
        defineDeployer({ type: itemType, name: 'things', version: 'v1', reconcile: () => void calls++, delete() {} }),
        { identity: 'one' },
      )
      await stage.item()
      const item = await stage.untilPhase('Succeeded')
      expect(item.status).toEqual({
        observedGeneration: 1,
        phase: 'Succeeded',
        lastReconcileTime: '2026-01-01T00:00:00Z',
        deployer: { identity: 'one', name: 'things', version: 'v1' },
      })
      expect(item.metadata.finalizers).toEqual(['finalizer.landscaper.gardener.cloud'])
      expect(stage.writes()).toEqual([
        'PUT deployitems/thing/status',
        'PATCH deployitems/thing',
        'PUT deployitems/thing/status',
      ])
      await stage.sleep(3600)
      expect(stage.writes()).toEqual([])
      expect(calls).toBe(1)
    }))
})
