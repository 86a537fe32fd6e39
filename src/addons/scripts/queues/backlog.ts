/**
 * The tasks of one hook in one queue, in order. Above a number of tasks, or of bytes, a task replaces an earlier one about the same subject, so that
 * a storm of events leaves at most a few tasks for each object, the last of which carries its last state.
 */
import type { Task } from './task.ts'

/** The task that replaces two tasks about one subject, or undefined when both must stay. */
export type Supersede<Cause> = (earlier: Cause, later: Cause) => Cause | undefined

export interface Waiting<Cause> {
  readonly task: Task<Cause>
  /** Position among the tasks of all hooks of the queue. */
  readonly position: number
  readonly queuedAt: number
}

interface Node<Cause> extends Waiting<Cause> {
  previous: Node<Cause> | undefined
  next: Node<Cause> | undefined
  /** The task before it about the same subject, which may have been taken since. */
  earlier: Node<Cause> | undefined
  isWaiting: boolean
}

/** Number of tasks of one hook above which tasks replace earlier ones. */
const replaceThreshold = 1000
/** Bytes of their objects above which they do, however few they are. */
export const replaceBytes = 32 << 20

export class Backlog<Cause> implements Iterable<Waiting<Cause>> {
  readonly #supersede: Supersede<Cause>
  /** The last task about each subject. */
  readonly #subjects = new Map<string, Node<Cause>>()
  #first: Node<Cause> | undefined
  #last: Node<Cause> | undefined
  #length = 0
  #bytes = 0

  constructor(supersede: Supersede<Cause>) {
    this.#supersede = supersede
  }

  get length(): number {
    return this.#length
  }

  get first(): Waiting<Cause> | undefined {
    return this.#first
  }

  push(task: Task<Cause>, position: number, queuedAt: number): void {
    const thinned = this.#thinned(task, queuedAt)
    const node: Node<Cause> = { ...thinned, position, previous: this.#last, next: undefined, isWaiting: true }
    if (this.#last === undefined) this.#first = node
    else this.#last.next = node
    this.#last = node
    this.#count(node.task, 1)
    if (task.subject !== undefined) this.#subjects.set(task.subject, node)
  }

  /** In front of all others; such a task has no subject. */
  unshift(task: Task<Cause>, position: number, queuedAt: number): void {
    const common = { previous: undefined, next: this.#first, earlier: undefined, isWaiting: true }
    const node: Node<Cause> = { task, position, queuedAt, ...common }
    if (this.#first === undefined) this.#last = node
    else this.#first.previous = node
    this.#first = node
    this.#count(task, 1)
  }

  shift(): Waiting<Cause> | undefined {
    const first = this.#first
    if (first !== undefined) this.#unlink(first)
    return first
  }

  *[Symbol.iterator](): Iterator<Waiting<Cause>> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node
  }

  /** Merges the task with earlier ones, which are removed; it keeps the time of the first of them. */
  #thinned(task: Task<Cause>, queuedAt: number): Pick<Node<Cause>, 'task' | 'queuedAt' | 'earlier'> {
    let earlier = task.subject === undefined ? undefined : this.#subjects.get(task.subject)
    let left = { task, queuedAt }
    while (earlier?.isWaiting === true && this.#isFull()) {
      const cause = this.#supersede(earlier.task.cause, left.task.cause)
      if (cause === undefined) break
      left = { task: { ...task, cause }, queuedAt: earlier.queuedAt }
      const before: Node<Cause> | undefined = earlier.earlier
      this.#unlink(earlier)
      earlier = before
    }
    return { ...left, earlier }
  }

  #isFull(): boolean {
    return this.#length >= replaceThreshold || this.#bytes >= replaceBytes
  }

  #count({ bytes = 0 }: Task<Cause>, sign: 1 | -1): void {
    this.#length += sign
    this.#bytes += sign * bytes
  }

  #unlink(node: Node<Cause>): void {
    if (node.previous === undefined) this.#first = node.next
    else node.previous.next = node.next
    if (node.next === undefined) this.#last = node.previous
    else node.next.previous = node.previous
    this.#count(node.task, -1)
    node.isWaiting = false
    node.earlier = undefined
    const { subject } = node.task
    if (subject !== undefined && this.#subjects.get(subject) === node) this.#subjects.delete(subject)
  }
}
