/** Process groups, identified by the process id of their leader. */

/** A group that no longer exists is not an error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function groupExists(leader: number | undefined): boolean {
  try {
    return leader !== undefined && process.kill(-leader, 0)
  } catch (error) {
    // EPERM: the group exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
