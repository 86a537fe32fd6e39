import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Ledger, RolloutPolicy } from '../../rollouts/policy/types.ts'
import type { Workload } from '../../rollouts/policy/workload.ts'
import { Timeline } from './timeline/timeline.ts'
import { type Scene, viewOf } from './view.ts'

const message =
  'hook pre: Deployment web has no container nope, it has main; until this is fixed, changed templates roll out without hooks'

function stalled(rollout?: Ledger): Scene {
  const { status, ...rest } = { apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', status: { rollout } }
  const conditions = [{ type: 'Stalled', status: 'True', reason: 'ContainerNotFound', message }]
  const policy = {
    ...rest,
    metadata: { name: 'web', namespace: 'shop' },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    status: { conditions, ...(status.rollout === undefined ? {} : status) },
  } as unknown as RolloutPolicy
  return { policy, workload: {} as Workload, outcome: 'failed', timeline: new Timeline(0), begun: 0, pods: [] }
}

const ended = {
  ...{ id: 'a1', type: 'ROLLOUT', phase: 'Complete', to: 'web-2', templateHash: 'h' },
  ...{ startedAt: '1970-01-01T00:00:00Z', endedAt: '1970-01-01T00:00:05Z', saved: {}, hooks: [] },
} as unknown as Ledger

function shown(scene: Scene, columns: number, isTerminal: boolean): string {
  const written: string[] = []
  viewOf({ stdout: { write: (text) => void written.push(text), isTerminal, columns }, programName: 'carabiner' }).show(
    scene,
    1000,
  )
  return stripVTControlCharacters(written.join(''))
}

describe('a policy that stands still', () => {
  it('says why in place of waiting for a template', () => {
    expect(shown(stalled(), 80, false)).toBe(`00:00:01  ContainerNotFound  ${message}\n`)
    expect(shown(stalled(), 200, true)).toBe(`Deployment shop/web  ContainerNotFound\n${message}\n`)
  })

  it.each([undefined, ended])('has all of it on a narrow terminal, after %s', (rollout) => {
    const lines = shown(stalled(rollout), 60, true).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60)
    expect(lines.join(' ')).toContain(message)
  })
})

it('shows control characters from the cluster on a terminal and elsewhere', () => {
  const hook = { name: 'a\u001b[2Jb', point: '0\u009b', state: 'Running', attempts: 1, message: '\u001b]0;x\u0007' }
  const rollout = { ...ended, endedAt: undefined, to: 'w\u001b[1A', hooks: [hook] } as unknown as Ledger
  for (const isTerminal of [true, false]) {
    const written: string[] = []
    const output = { write: (text: string) => void written.push(text), isTerminal, columns: 120 }
    const scene = { ...stalled(rollout), images: 'web:1 → \u001b[31mweb', outcome: 'going' as const }
    viewOf({ stdout: output, programName: 'carabiner' }).show(scene, 1000)
    const own = new RegExp(`${String.fromCharCode(27)}\\[(?:K|J)`, 'g')
    expect(written.join('').replace(own, '')).toMatch(/^(?:[^\p{Cc}]|\n)*$/u)
    expect(written.join('')).toContain('a\\u001b[2Jb')
  }
})
