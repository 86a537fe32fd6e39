/**
 * One pod on its node: starts and stops its containers through the engine and tracks their state. Makes no requests;
 * the kubelet writes `status`.
 */

import type { Container, Pod, PodStatus } from '../../kube/kinds/index.ts'
import { type Clock, type Instant, smallest } from '../../runtime/index.ts'
import type { EventWrite } from '../controllers/decisions/decision.ts'
import { event } from '../controllers/decisions/decision.ts'
import { instantOf } from '../kinds/time.ts'
import type { ContainerEvent, Engine, Exit, RunningContainer } from './engine.ts'
import { advance } from './pod/advance.ts'
import { lostContainers } from './pod/lost.ts'
import { backOff, type ContainerRun, ended, noAttempts, type PodRun, restarted, withContainer } from './pod/run.ts'
import { type Host, podStatus } from './pod/status.ts'

/** Shared by all pods of a node. */
export interface WorkerContext {
  readonly clock: Clock
  readonly engine: Engine
  readonly host: Host
  /** Containers that have run according to the status of their pod are gone. */
  readonly areContainersLost: boolean
  readonly record: (event: EventWrite) => void
  /** Called when the pod with this key must be reconciled. */
  readonly changed: (key: string) => void
}

const startRetryMs = 10_000

/** 0.5 s, doubled up to about two minutes. */
const mountBackOff = (failures: number): number => Math.min(500 * 2 ** (failures - 1), 122_000)

export class PodWorker {
  readonly uid: string
  /** When the pod was first seen. */
  readonly createdAt: Instant
  /** The last status written; transition times of conditions are computed from it. */
  writtenStatus: PodStatus | undefined
  /** The final delete was sent to the API server. */
  isDeleted = false
  readonly #context: WorkerContext
  readonly #key: string
  readonly #handles = new Map<string, RunningContainer>()
  #pod: Pod
  #run: PodRun
  #grace = Number.POSITIVE_INFINITY
  /** Attempts to mount its volumes so far; undefined once they are mounted. */
  #failedMounts: number | undefined = 0

  constructor(context: WorkerContext, key: string, pod: Pod, podIP: string) {
    this.#context = context
    this.#key = key
    this.#pod = pod
    this.uid = pod.metadata.uid ?? ''
    this.createdAt = context.clock.now()
    const startTime = instantOf(pod.status?.startTime) ?? this.createdAt
    const containers = context.areContainersLost ? lostContainers(pod, this.createdAt) : new Map()
    this.#run = { startTime, podIP, containers }
  }

  get podIP(): string {
    return this.#run.podIP
  }

  /** Whether no container is running or starting. */
  get isIdle(): boolean {
    return this.#handles.size === 0
  }

  /** Whether the first containers are starting and no status was written yet. */
  get isBeingCreated(): boolean {
    return this.writtenStatus === undefined && this.#run.containers.size === 0 && this.#handles.size > 0
  }

  /** Whether the volumes are mounted; until then no container is started. */
  get isMounted(): boolean {
    return this.#failedMounts === undefined
  }

  /** Takes the result of an attempt to mount the volumes: why it failed, or undefined. */
  mounted(pod: Pod, failure: string | undefined): void {
    if (failure === undefined) {
      this.#failedMounts = undefined
      return
    }
    this.#failedMounts = (this.#failedMounts ?? 0) + 1
    this.#context.record(event(pod, 'Warning', 'FailedMount', failure))
  }

  /** Starts the containers that should run; returns the milliseconds until the next check. */
  advance(pod: Pod): number | undefined {
    this.#pod = pod
    const now = this.#context.clock.now()
    const left = this.#deadline(now)
    if (this.#failedMounts !== undefined) {
      const retry = this.#run.failure === undefined ? mountBackOff(this.#failedMounts) : undefined
      return retry === undefined || left === undefined ? retry : Math.min(retry, left)
    }
    const { start, nextStartAt } = advance(pod, this.#run, now)
    for (const container of start) if (!this.#handles.has(container.name)) this.#start(container)
    const waits = [left, nextStartAt === undefined ? undefined : nextStartAt - now].filter((wait) => wait !== undefined)
    return waits.length === 0 ? undefined : smallest(waits)
  }

  /** Milliseconds until activeDeadlineSeconds; after it, the pod is stopped and fails. */
  #deadline(now: Instant): number | undefined {
    const seconds = this.#pod.spec.activeDeadlineSeconds
    if (seconds === undefined || this.#run.failure !== undefined) return undefined
    const left = this.#run.startTime + seconds * 1000 - now
    if (left > 0) return left
    const message = 'Pod was active on the node longer than the specified deadline'
    this.#run = { ...this.#run, failure: { reason: 'DeadlineExceeded', message } }
    this.#context.record(event(this.#pod, 'Normal', 'DeadlineExceeded', message))
    this.stop(this.#pod, this.#pod.spec.terminationGracePeriodSeconds ?? 30)
    return undefined
  }

  /** Stops all containers within the grace period; a second call can only shorten it. */
  stop(pod: Pod, graceSeconds: number): void {
    this.#pod = pod
    const grace = graceSeconds * 1000
    if (grace >= this.#grace) return
    const first = this.#grace === Number.POSITIVE_INFINITY
    this.#grace = grace
    for (const [name, handle] of [...this.#handles]) {
      if (first) this.#context.record(event(pod, 'Normal', 'Killing', `Stopping container ${name}`))
      handle.stop(grace)
    }
  }

  /** Kills all containers and removes their data. */
  async kill(): Promise<void> {
    for (const handle of [...this.#handles.values()]) handle.stop(0)
    await this.#context.engine.removePod(this.#pod)
  }

  status(pod: Pod, final: boolean): PodStatus {
    const own = this.writtenStatus?.conditions ?? []
    const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !own.some((other) => other.type === type))
    const base = { ...pod, status: { ...pod.status, conditions: [...own, ...foreign] } }
    return podStatus(base, this.#run, this.#context.host, { now: this.#context.clock.now(), final })
  }

  #set(name: string, container: ContainerRun): void {
    this.#run = withContainer(this.#run, name, container)
    this.#context.changed(this.#key)
  }

  #start(container: Container): void {
    const { name } = container
    const { engine, host } = this.#context
    const before = this.#run.containers.get(name)
    const attempt = before === undefined ? 0 : before.past.restarts + (before.kind === 'ended' ? 1 : 0)
    const request = {
      pod: this.#pod,
      container,
      attempt,
      podIP: this.#run.podIP,
      nodeName: host.name,
      hostIP: host.address,
    }
    const handle = engine.start(request, (containerEvent) => this.#onContainerEvent(name, containerEvent))
    // An engine may report the exit before `start` returns.
    const state = this.#run.containers.get(name)
    const over = state !== before && (state?.kind === 'ended' || state?.kind === 'waiting')
    if (!over) this.#handles.set(name, handle)
  }

  #onContainerEvent(name: string, containerEvent: ContainerEvent): void {
    switch (containerEvent.kind) {
      case 'started':
        this.#started(name)
        break
      case 'ready':
        this.#ready(name, containerEvent.ready)
        break
      case 'exited':
        this.#exited(name, containerEvent.exit)
        break
      case 'startFailed':
        this.#startFailed(name, containerEvent.reason, containerEvent.message)
        break
      case 'notExecutable':
        this.#notExecutable(name, containerEvent.message)
        break
    }
  }

  #recordEvent(severity: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.record(event(this.#pod, severity, reason, message))
  }

  #started(name: string): void {
    // The sandbox pulls no images and creates no containers, so of the kubelet's three events only Started applies.
    this.#recordEvent('Normal', 'Started', 'Container started')
    const before = this.#run.containers.get(name) ?? waitingFor('ContainerCreating', 0)
    this.#set(name, { ...restarted(before, this.#context.clock.now()), started: true } as ContainerRun)
  }

  #ready(name: string, ready: boolean): void {
    const run = this.#run.containers.get(name)
    if (run?.kind === 'running') this.#set(name, { ...run, ready })
  }

  #startFailed(name: string, reason: string, message: string): void {
    this.#handles.delete(name)
    const isCreation = reason.startsWith('CreateContainer')
    this.#recordEvent('Warning', 'Failed', isCreation ? `Error: ${message}` : `Error: ${reason}: ${message}`)
    this.#set(name, waitingFor(reason, this.#context.clock.now() + startRetryMs, message))
  }

  #exited(name: string, exit: Exit): void {
    this.#handles.delete(name)
    const before = this.#run.containers.get(name) ?? waitingFor('ContainerCreating', 0)
    if (before.kind !== 'running') {
      // Stopped before it ran: there is nothing to report.
      this.#context.changed(this.#key)
      return
    }
    this.#ended(name, before, exit)
  }

  /** As containerd reports it: a terminated container, not a waiting one. */
  #notExecutable(name: string, message: string): void {
    this.#handles.delete(name)
    this.#recordEvent('Warning', 'Failed', `Error: ${message}`)
    const before = this.#run.containers.get(name) ?? waitingFor('ContainerCreating', 0)
    const exit = { exitCode: 128, reason: 'StartError', message }
    this.#ended(name, restarted(before, this.#context.clock.now()), exit)
  }

  #ended(name: string, before: ContainerRun, exit: Exit): void {
    const run = ended(before, exit, this.#context.clock.now())
    this.#set(name, run)
    if (exit.exitCode !== 0 && backOff(run.past.crashes) > 0) {
      const { metadata } = this.#pod
      const message = `Back-off restarting failed container ${name} in pod ${metadata.name}_${metadata.namespace}(${metadata.uid})`
      this.#context.record(event(this.#pod, 'Warning', 'BackOff', message))
    }
  }
}

function waitingFor(reason: string, retryAt: Instant, message?: string): ContainerRun {
  return { kind: 'waiting', reason, ...(message === undefined ? {} : { message }), retryAt, past: noAttempts }
}
