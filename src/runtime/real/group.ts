/** Groups of processes, by the number of the one that leads them. */

/** A group that is gone already is not an error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function isGroupThere(leader: number | undefined): boolean {
  try {
    return leader !== undefined && process.kill(-leader, 0)
  } catch (error) {
    // Those of another user are there, though not ours to signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
