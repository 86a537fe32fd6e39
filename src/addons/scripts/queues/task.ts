/**
 * One thing to do for one hook, as it waits in a queue. `Cause` says why; queues never look into it.
 */
export interface Task<Cause> {
  /** Unique; a field of every line the hook prints. */
  readonly id: string
  readonly hook: string
  readonly type: TaskType
  /** For listings: `onStartup`, `schedule`, `kubernetes`, and the name of the binding. */
  readonly bindingType: string
  readonly binding: string
  readonly cause: Cause
  /** May share a run with the tasks of the same hook directly before and after it. */
  readonly isMergeable: boolean
  /** A failed run is let go. */
  readonly allowFailure: boolean
  /** Tasks of one hook with equal subjects tell of the same thing: only the last of them matters to a hook that fell far behind. */
  readonly subject?: string
}

/** `HookRun`, `EnableKubernetesBindings`, `EnableScheduleBindings`, and whatever errands are called. */
export type TaskType = string

/** Tasks that are done in one go, the first of which stands for all of them. */
export interface Batch<Cause> {
  readonly first: Task<Cause>
  readonly tasks: readonly Task<Cause>[]
  /** Attempts that failed so far. */
  failures: number
  /** Monotonic milliseconds at which the first of them was put into the queue. */
  readonly queuedAt: number
}

/** As `HookRun:main:kubernetes:a.sh:pods:failures 1`, or `ModuleRun:main:web:failures 0` for what is not about a hook. */
export function describeTask(task: Task<unknown>, queue: string, failures: number): string {
  const { type, bindingType, hook, binding } = task
  const what = type === 'HookRun' ? [bindingType, hook, binding] : hook === '' ? [] : [hook]
  return [type, queue, ...what, `failures ${failures}`].join(':')
}
