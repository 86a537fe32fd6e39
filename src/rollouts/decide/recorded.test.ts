/** Refresh the recorded worlds, after a wanted change of a decision, with: npx tsx test/faults/rollout-traces.ts worlds --numbers 20 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decideNext } from './decide.ts'
import type { Phases } from './decision.ts'
import { type RecordedWorld, recordedWorld, recordWorld } from './recorded.ts'
import { phaseSentences, situations } from './situation.ts'

const text = readFileSync(new URL('./recorded-worlds.jsonl', import.meta.url), 'utf8')
const recorded = text
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedWorld)
/** Written in every situation. */
const general: ReadonlySet<string> = new Set(['before', 'unhide', 'after', 'tidy', 'requests'])

describe('recorded worlds', () => {
  it.each(recorded)('$situation: $why', (record) => {
    const world = recordedWorld(record)
    expect(recordWorld(world, record.now, decideNext(world, record.now))).toEqual(record)
  })

  it.each(recorded)('$situation writes no more than its description says: $why', (record) => {
    const { situation, decision } = decideNext(recordedWorld(record), record.now)
    const allowed: readonly string[] = situations[situation.name].writes
    const isEmpty = (phase: unknown) => phase === undefined || (Array.isArray(phase) && phase.length === 0)
    const phases = Object.keys(phaseSentences) as (keyof Phases)[]
    const used = phases.filter((phase) => !isEmpty(decision[phase]) && !general.has(phase))
    expect(used.filter((phase) => !allowed.includes(phase))).toEqual([])
  })

  it('contain most situations', () => {
    expect(new Set(recorded.map(({ situation }) => situation)).size).toBeGreaterThanOrEqual(20)
  })
})
