/** Starts, cancels and removes runs of hooks. */
import type { Run } from '../../hooks/index.ts'
import type { StartHook, TidyWrite } from '../decide/index.ts'
import { hookObject } from '../objects/hook-object.ts'
import { httpCallOf } from '../objects/http-call.ts'
import type { World } from '../observe/index.ts'
import type { EngineDeps } from './engine-deps.ts'
import { targetOf } from './write-workload.ts'
import { nothingWritten, type Written } from './written.ts'

/** `created` is the uid of the revision that the same decision has created. */
export async function startHook(deps: EngineDeps, world: World, write: StartHook, created: string): Promise<Written> {
  const { policy } = world
  const { run, hook } = write
  const context = { ...write.context, toUid: write.context.toUid || created }
  // Another engine has created the revision: the next decision is made with it.
  if (context.toUid === '') return nothingWritten
  if (hook.action.kind === 'http') {
    void deps.http.start(run, httpCallOf(policy, run, hook.action.http, context), () => deps.wake(policy))
    return nothingWritten
  }
  const action = hookObject({ policy, workload: targetOf(world) }, { run, hook, context })
  const outcome =
    action && (await deps.objects.start(run, action, () => deps.wake(policy)).catch(notStarted(deps, world, hook.name)))
  // No cache will show an object that was refused.
  if (outcome === 'refused') deps.wake(policy)
  else deps.recent.started(run)
  return nothingWritten
}

/** The queue retries; the event says what may have to be fixed until then. */
function notStarted({ events }: EngineDeps, { policy, workload }: World, hook: string): (error: unknown) => never {
  return (error) => {
    const said = error instanceof Error ? error.message : String(error)
    const event = { type: 'Warning', reason: 'HookNotStarted', note: `hook ${hook}: ${said}` } as const
    for (const object of [policy, workload]) if (object !== undefined) events.record(object, event)
    throw error
  }
}

export async function cancelHook({ http, objects }: EngineDeps, run: Run): Promise<Written> {
  void http.cancel(run)
  await objects.cancel(run)
  return nothingWritten
}

export async function removeHook({ http, objects }: EngineDeps, run: Run): Promise<Written> {
  void http.cancel(run)
  await objects.retire(run)
  return nothingWritten
}

export async function tidy({ objects }: EngineDeps, { kind, object }: TidyWrite): Promise<Written> {
  if (kind === 'retire-leftover') await objects.retireObject(object, 'whenIdle')
  else await objects.removeObject(object)
  return nothingWritten
}
