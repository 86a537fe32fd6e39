/** The tasks in the queues, as text with the head first and as the JSON of `queue list`. */
import type { QueueStatus } from './queue.ts'
import { mainQueue } from './queues.ts'
import { describeTask, type Task } from './task.ts'

/** The part of a queue that is listed. */
export interface ShownQueue {
  readonly name: string
  readonly status: QueueStatus
  tasks(): Iterable<{ readonly task: Task<unknown>; readonly failures: number }>
}

export interface QueueListing {
  readonly name: string
  readonly tasksCount: number
  readonly status: string
  readonly tasks: readonly { readonly index: number; readonly description: string }[]
}

export interface QueuesListing {
  readonly active: readonly QueueListing[]
  readonly empty: readonly QueueListing[]
  readonly summary: {
    readonly mainQueueTasks: number
    readonly otherQueues: { readonly active: number; readonly empty: number; readonly tasks: number }
    readonly totalTasks: number
  }
}

export function listQueues(queues: readonly ShownQueue[]): QueuesListing {
  const listings = queues.map(listQueue)
  const active = listings.filter(({ tasksCount }) => tasksCount > 0)
  const empty = listings.filter(({ tasksCount }) => tasksCount === 0)
  const others = active.filter(({ name }) => name !== mainQueue)
  const count = (some: readonly QueueListing[]) => some.reduce((sum, { tasksCount }) => sum + tasksCount, 0)
  return {
    active,
    empty,
    summary: {
      mainQueueTasks: count(active) - count(others),
      otherQueues: {
        active: others.length,
        empty: empty.filter(({ name }) => name !== mainQueue).length,
        tasks: count(others),
      },
      totalTasks: count(active),
    },
  }
}

/** A heading per queue, then one line per task. */
export function queuesAsText(queues: readonly ShownQueue[]): string {
  const { active } = listQueues(queues)
  if (active.length === 0) return 'All queues are empty.\n'
  return active
    .map(({ name, tasksCount, status, tasks }) => {
      const lines = tasks.map(({ index, description }) => `${index}. ${description}\n`).join('')
      return `Queue "${name}": length ${tasksCount}, status: ${status}\n${lines}`
    })
    .join('\n')
}

function listQueue(queue: ShownQueue): QueueListing {
  const tasks = Array.from(queue.tasks(), ({ task, failures }, index) => ({
    index: index + 1,
    description: describeTask(task, queue.name, failures),
  }))
  return { name: queue.name, tasksCount: tasks.length, status: statusText(queue.status), tasks }
}

function statusText(status: QueueStatus): string {
  switch (status.kind) {
    case 'empty':
      return 'waiting for task'
    case 'running':
      return 'run first task'
    case 'retrying':
      return `sleep after fail for ${status.delay / 1000}s`
    case 'limited':
      return 'waiting for a hook that may not run yet'
  }
}
