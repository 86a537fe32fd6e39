/** A run in one line, for commands that show the runs of what they are about. */
import { type RunRecord, shortKey } from '../../hooks/index.ts'
import { printableLine } from '../terminal/printable.ts'
import { age } from '../terminal/span.ts'

/** As `failed     ticket at BeforeReconcile, attempt 2, 12s ago: exited with code 4 (run 51c02d9b7e-2)`. */
export function summaryOf(run: RunRecord, now: number): string {
  const { hook, point, attempt, outcome, startedAt, endedAt, message, key } = run
  const ago = age(now - Date.parse((outcome === 'running' ? startedAt : endedAt) ?? ''))
  const when = outcome === 'running' ? `for ${ago}` : `${ago} ago`
  const again = attempt > 1 ? `, attempt ${attempt}` : ''
  const why = message === undefined ? '' : `: ${message}`
  return printableLine(`${outcome} ${hook} at ${point}${again}, ${when}${why} (run ${shortKey(key)})`)
}
