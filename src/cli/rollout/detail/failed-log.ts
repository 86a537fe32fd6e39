/** The end of what the hook said that aborted a rollout, from the journal, in which Secrets are removed. */
import { readJournal } from '../../../hooks/index.ts'
import { isForbidden } from '../../../kube/index.ts'
import { pageOf, type RolloutPolicy } from '../../../rollouts/index.ts'
import type { Place } from '../../place.ts'

/** The reason of a failure is usually in the last lines; `rollout logs` has all of them. */
const mostLines = 5

export interface FailedLog {
  readonly hook: string
  readonly lines: readonly string[]
}

/** Undefined where no hook failed, it said nothing, or the user may not read the journal. */
export async function failedLogOf({ client }: Place, policy: RolloutPolicy): Promise<FailedLog | undefined> {
  const { id, phase } = policy.status?.rollout ?? {}
  if (phase !== 'Aborted' || id === undefined) return undefined
  try {
    const entries = await readJournal(client, pageOf(policy), { lifecycle: id })
    const failed = entries.findLast(({ outcome }) => outcome === 'failed')
    const lines = (failed?.log ?? '').split('\n').filter((line) => line.trim() !== '')
    return failed === undefined || lines.length === 0
      ? undefined
      : { hook: failed.hook, lines: lines.slice(-mostLines) }
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}
