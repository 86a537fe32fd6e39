/** Extreme hooks with the built operator: they print a gigabyte, or ignore the signal to stop. */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keeping, startProgram, startScripts } from '../cluster/script-operator.ts'
import { openTarget, type Target } from '../cluster/target.ts'
import { expectSound } from '../faults/script-outcome.ts'
import { playScripts } from '../faults/script-world.ts'
import { isRunning } from '../machine/is-running.ts'
import { numbersFor, playNumber } from '../replay/numbers.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(() => target.stop())

const scheduled = '{"configVersion": "v1", "schedule": [{"crontab": "* * * * * *"}]}'
const gigabyte = 1_000_000_000

/** The peak memory of a process in megabytes. */
function peakMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

describe('a hook that prints a gigabyte', () => {
  it.each([
    ['in lines', `yes "$(printf 'x%.0s' {1..999})" | head -c ${gigabyte}`],
    ['in one line', `head -c ${gigabyte} /dev/zero | tr '\\0' x`],
    ['to standard error', `yes "$(printf 'x%.0s' {1..999})" | head -c ${gigabyte} >&2`],
  ])('[addons R5] %s does not fill the memory of the operator', async (title, print) => {
    const common = ['--kubeconfig', target.kubeconfig, '--listen-port', '0', '--leader-election', 'false']
    const more = `[[ -e "$OUT/done" ]] && exit 0; ${print}; touch "$OUT/done"`
    const operator = await startProgram({ 'a.sh': keeping(scheduled, more) }, ({ hooks }) => ({
      args: [...['run', '--hooks-dir', hooks], ...common],
      isKept: (line) => !line.includes('xxxx'),
    }))
    try {
      const before = peakMemory(operator.pid)
      await operator.until('the end of the hook', () => operator.contexts('a.sh').length > 1, 600)
      const growth = peakMemory(operator.pid) - before
      process.stdout.write(`1 GB ${title}: the operator grew by ${growth.toFixed(0)} MB\n`)
      expect(growth).toBeLessThan(100)
      expect(operator.outputLines.filter((line) => line.includes('failed'))).toEqual([])
    } finally {
      await operator.stop()
    }
  })
})

it('[addons R3] kills a hook that ignores SIGTERM with all its processes, and delays the stop of the operator only until then', async () => {
  const more = `trap '' TERM; (trap '' TERM; echo $BASHPID > "$OUT/child"; while :; do sleep 1; done) & echo $$ > "$OUT/self"; while :; do sleep 1; done`
  const operator = await startScripts(target, '--hooks-dir', { 'a.sh': keeping(scheduled, more) })
  const files = ['self', 'child'].map((name) => `${operator.out}/${name}`)
  const pidIn = (path: string) => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0)
  await operator.until('both', () => files.every((path) => pidIn(path) > 0))
  const both = files.map(pidIn)
  const begun = performance.now()
  await operator.stop()
  const seconds = (performance.now() - begun) / 1000
  expect(seconds).toBeGreaterThan(9)
  expect(seconds).toBeLessThan(20)
  expect(both.filter(isRunning)).toEqual([])
})

it.each(numbersFor('scripts', [2, 3, 4, 5]))(
  'hooks lose nothing wherever the operator crashes once or twice: number %i',
  (number) =>
    playNumber('scripts', number, async (seed) => {
      const { moments } = await playScripts(seed)
      for (let moment = 1; moment <= moments.length; moment++) {
        expectSound(await playScripts(seed, [moment]))
        expectSound(await playScripts(seed, [moment, moment + 3, moment + seed * 7]))
      }
    }),
)
