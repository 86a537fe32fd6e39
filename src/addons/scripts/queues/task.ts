/** A task of a queue: one thing to do for one hook. Queues do not read its `Cause`. */
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
  /** A failed run is not retried. */
  readonly allowFailure: boolean
  /** Of the tasks of one hook with the same subject only the last is kept when the hook is far behind. */
  readonly subject?: string | undefined
  /** Of the objects that it keeps in memory. */
  readonly bytes?: number
}

/** `HookRun`, `EnableKubernetesBindings`, `EnableScheduleBindings`, and the types of module tasks. */
export type TaskType = string

/** Tasks that share one run; the first represents them. */
export interface Batch<Cause> {
  readonly first: Task<Cause>
  readonly tasks: readonly Task<Cause>[]
  /** Attempts that failed so far. */
  failures: number
  /** Monotonic milliseconds at which the first of them was put into the queue. */
  readonly queuedAt: number
}

/** As `HookRun:main:kubernetes:a.sh:pods:failures 1`, or `ModuleRun:main:web:failures 0` for a task that is not about a hook. */
export function describeTask(task: Task<unknown>, queue: string, failures: number): string {
  const { type, bindingType, hook, binding } = task
  const what = type === 'HookRun' ? [bindingType, hook, binding] : hook === '' ? [] : [hook]
  return [type, queue, ...what, `failures ${failures}`].join(':')
}
