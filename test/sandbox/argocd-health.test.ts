/**
 * The Argo CD health script, run by a Lua interpreter on policies that the engine writes. `CARABINER_LUA` names the
 * interpreter; without one in PATH these tests are skipped.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { at, isOver, job, play } from './rollouts.ts'

const script = readFileSync(new URL('../../examples/gitops/argocd-health.lua', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'carabiner-lua-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'health.lua')
function runs(interpreter: string): boolean {
  writeFileSync(file, 'print(1 + 1)')
  return spawnSync(interpreter, [file], { encoding: 'utf8' }).stdout?.trim() === '2'
}
const lua = [process.env['CARABINER_LUA'] ?? 'lua', 'lua5.4', 'luajit', 'glua'].find(runs)

if (lua === undefined)
  process.stdout.write('skipped: the health script for Argo CD needs a Lua interpreter; CARABINER_LUA names one\n')

/** Formats a value as Lua. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(literal).join(',')}}`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .filter(([, inner]) => inner !== undefined && inner !== null)
      .map(([key, inner]) => `[${JSON.stringify(key)}]=${literal(inner)}`)
      .join(',')}}`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

function healthOf(policy: object): string {
  const program = `obj = ${literal(policy)}\nlocal health = (function()\n${script}\nend)()\nprint(health.status .. ": " .. health.message)`
  writeFileSync(file, program)
  const { stdout, stderr, status } = spawnSync(lua ?? '', [file], { encoding: 'utf8' })
  expect([stderr, status]).toEqual(['', 0])
  return stdout.trim()
}

describe.skipIf(lua === undefined)('health in Argo CD', () => {
  it('reports a rollout as healthy, suspended for an approval, progressing and degraded', () =>
    play(95, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'ask', trigger: at(0), approval: { timeout: '1m', onTimeout: 'Approve' } },
          { name: 'smoke', trigger: at('50%'), jobSpec: job({ 'exit-code': '1' }) },
        ],
      })
      const now = () => stage.untilPolicy(() => true)
      expect(healthOf(await now())).toMatch(/^Healthy: /)
      await stage.roll(2)
      const waitsFor = (hook: string) => (policy: RolloutPolicy) => policy.status?.rollout?.waitingFor === hook
      expect(healthOf(await stage.untilPolicy(waitsFor('ask')))).toBe('Suspended: hook ask waits for an approval')
      expect(healthOf(await stage.untilPolicy(waitsFor('smoke')))).toBe('Progressing: at 50%: waits for smoke')
      expect(healthOf(await stage.untilPolicy(isOver))).toMatch(/^Degraded: aborted: hook smoke/)
      await stage.changePolicy({ suspend: true })
      expect(healthOf(await now())).toMatch(/^Suspended: the policy is suspended/)
    }))

  it('reports progressing until the operator has observed the policy', () => {
    const policy = { metadata: { generation: 2 }, spec: {} }
    expect(healthOf(policy)).toBe('Progressing: waits for the operator')
    const conditions = [{ type: 'Ready', status: 'True', message: 'at rest' }]
    expect(healthOf({ ...policy, status: { observedGeneration: 1, conditions } })).toBe(
      'Progressing: waits for the operator',
    )
    expect(healthOf({ ...policy, status: { observedGeneration: 2, conditions } })).toBe('Healthy: at rest')
  })
})
