import { describe, expect, it } from 'vitest'
import { LogLimit } from './log-limit.ts'

const lineLength = 10_000
/** How many of so many lines are written. */
const admitted = (limit: LogLimit, lines: number) =>
  Array.from({ length: lines }, () => limit.admits(lineLength)).filter((isAdmitted) => isAdmitted).length

describe('[addons R5] the log of a run', () => {
  it('takes 4 MiB at once, 256 KiB per second, and 64 MiB in all', () => {
    let now = 0
    const limit = new LogLimit({ monotonic: () => now })
    const burst = Math.floor((4 << 20) / (lineLength + 200))
    expect(admitted(limit, 5000)).toBe(burst)
    now += 3_000
    expect(admitted(limit, 5000)).toBe(0)
    now += 2_000
    expect(admitted(limit, 5000)).toBe(Math.floor((5 << 18) / (lineLength + 200)))
    let all = 0
    for (let hour = 0; hour < 100; hour++) {
      now += 3_600_000
      all += admitted(limit, 1000)
    }
    expect((all + 128 + burst) * (lineLength + 200)).toBeGreaterThan(63 << 20)
    expect((all + 128 + burst) * (lineLength + 200)).toBeLessThanOrEqual(64 << 20)
    now += 3_600_000
    expect(admitted(limit, 1)).toBe(0)
  })

  it('counts empty lines too', () => {
    const limit = new LogLimit({ monotonic: () => 0 })
    let lines = 0
    while (limit.admits(0)) lines++
    expect(lines).toBe(Math.floor((4 << 20) / 200))
  })
})
