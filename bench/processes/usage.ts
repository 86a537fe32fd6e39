/** Memory and CPU time of another process. */
import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory in bytes, now and at its peak. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1])
  return { now: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 }
}

/** CPU seconds of all its threads so far. */
export function cpuOf(pid: number): number {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  }
  return nanoseconds / 1e9
}
