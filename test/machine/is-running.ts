/** Whether a process is running. */
import { readFileSync } from 'node:fs'

/** A zombie that has not been reaped counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
