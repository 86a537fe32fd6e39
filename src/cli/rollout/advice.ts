/** What can be done about a rollout as it is, in commands that can be copied; and how hooks that never had their turn are shown. */
import { compilePolicy, type HookRecord, type HookState, type RolloutPolicy } from '../../rollouts/index.ts'

/** Empty when there is nothing to do for a person. */
export function adviceFor(policy: RolloutPolicy): string {
  const { namespace, name } = policy.metadata
  const ledger = policy.status?.rollout
  const command = (verb: string, more = '') => `carabiner rollout ${verb} -n ${namespace} ${name}${more}`
  if (ledger?.phase === 'Aborted' && ledger.endedAt !== undefined && ledger.undo === undefined)
    return listed([
      [command('logs'), 'see what its hooks said'],
      [command('retry'), 'go on with it, once the cause is fixed'],
      ...(ledger.from === undefined ? [] : [[command('undo'), `go back to ${ledger.from}`] as const]),
    ])
  const asking = new Set(approvalsOf(policy))
  const asked = (ledger?.hooks ?? []).filter(({ name: hook, state }) => state === 'Running' && asking.has(hook))
  return listed(asked.map(({ name: hook }) => [command('approve', ` ${hook}`), 'say yes; with --reject, no']))
}

/** In a rollout that is over, a hook that waited for its turn did not run, and one that waited for another attempt has failed. */
export function shownState(
  { state, attempts }: Pick<HookRecord, 'state' | 'attempts'>,
  isOver: boolean,
): HookState | 'NotRun' {
  if (!isOver || state !== 'Pending') return state
  return attempts === 0 ? 'NotRun' : 'Failed'
}

/** Between two attempts: when the next one starts, because nothing is to be seen of it meanwhile. */
export function shownMessage({ state, message = '', retryAt }: HookRecord, isOver: boolean): string {
  return isOver || state !== 'Pending' || retryAt === undefined ? message : `tried again at ${retryAt}: ${message}`
}

function approvalsOf({ spec }: RolloutPolicy): readonly string[] {
  const compiled = compilePolicy(spec)
  if ('problems' in compiled) return []
  return compiled.hooks.filter(({ action }) => action.kind === 'approval').map(({ name }) => name)
}

function listed(lines: readonly (readonly [string, string])[]): string {
  if (lines.length === 0) return ''
  const width = Math.max(...lines.map(([command]) => command.length))
  return `\nWhat to do:\n${lines.map(([command, meaning]) => `  ${command.padEnd(width)}   ${meaning}\n`).join('')}`
}
