/** Whether a process is there, as tests of processes want to know it. */
import { readFileSync } from 'node:fs'

/** An orphan that ended but was not yet collected by the system's first process counts as dead. */
export function lives(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
