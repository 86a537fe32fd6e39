/**
 * What waits for one hook in one queue, in order. A hook that falls far behind does not pile up: from a certain length on, a task takes the
 * place of an earlier one about the same subject, so that a storm of any size leaves at most a few tasks per object, the last of which
 * carries its last state.
 */
import type { Task } from './task.ts'

/** What is left of two tasks about one subject, or undefined when both have to stay. */
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
}

/** Tasks of one hook from which on it counts as far behind. */
export const crowd = 1000

export class Backlog<Cause> implements Iterable<Waiting<Cause>> {
  readonly #supersede: Supersede<Cause>
  /** The last task about each subject. */
  readonly #subjects = new Map<string, Node<Cause>>()
  #first: Node<Cause> | undefined
  #last: Node<Cause> | undefined
  #length = 0

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
    const node = { ...this.#thinned(task, queuedAt), position, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = node
    else this.#last.next = node
    this.#last = node
    this.#length++
    if (task.subject !== undefined) this.#subjects.set(task.subject, node)
  }

  /** In front of all others; such a task has no subject. */
  unshift(task: Task<Cause>, position: number, queuedAt: number): void {
    const node = { task, position, queuedAt, previous: undefined, next: this.#first }
    if (this.#first === undefined) this.#last = node
    else this.#first.previous = node
    this.#first = node
    this.#length++
  }

  shift(): Waiting<Cause> | undefined {
    const first = this.#first
    if (first !== undefined) this.#unlink(first)
    return first
  }

  *[Symbol.iterator](): Iterator<Waiting<Cause>> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node
  }

  /** The task with what it takes over from an earlier one, which goes; it has waited since then. */
  #thinned(task: Task<Cause>, queuedAt: number): { task: Task<Cause>; queuedAt: number } {
    const earlier = task.subject === undefined ? undefined : this.#subjects.get(task.subject)
    if (earlier === undefined || this.#length < crowd) return { task, queuedAt }
    const cause = this.#supersede(earlier.task.cause, task.cause)
    if (cause === undefined) return { task, queuedAt }
    this.#unlink(earlier)
    return { task: { ...task, cause }, queuedAt: earlier.queuedAt }
  }

  #unlink(node: Node<Cause>): void {
    if (node.previous === undefined) this.#first = node.next
    else node.previous.next = node.next
    if (node.next === undefined) this.#last = node.previous
    else node.next.previous = node.previous
    this.#length--
    const { subject } = node.task
    if (subject !== undefined && this.#subjects.get(subject) === node) this.#subjects.delete(subject)
  }
}
