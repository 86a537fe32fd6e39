/**
 * One pod on its node: starts and stops its containers through the engine and keeps the record of how far they are. Talks to no
 * server; the kubelet writes what `status` says.
 */
import type { Clock, Instant } from '../../runtime/clock.ts'
import type { EventWrite } from '../controllers/decisions/decision.ts'
import { event } from '../controllers/decisions/decision.ts'
import type { Container, Pod, PodStatus } from '../kinds/pod.ts'
import { instantOf } from '../kinds/time.ts'
import type { ContainerNews, Engine, Exit, RunningContainer } from './engine.ts'
import { advance } from './pod/advance.ts'
import { backOff, type ContainerRun, ended, nothingYet, type PodRun, restarted, withContainer } from './pod/run.ts'
import { type Host, podStatus } from './pod/status.ts'

/** Shared by all pods of a node. */
export interface WorkerContext {
  readonly clock: Clock
  readonly engine: Engine
  readonly host: Host
  readonly record: (event: EventWrite) => void
  /** Something about the pod of this key has changed and wants to be looked at. */
  readonly changed: (key: string) => void
}

/** Between attempts to start a container that was refused. */
const refusedBackOff = 10_000

export class PodWorker {
  readonly uid: string
  /** When it was first seen here. */
  readonly createdAt: Instant
  /** The status as last written: what conditions count their transitions from. */
  written: PodStatus | undefined
  /** The server was told that nothing of the pod is left. */
  finished = false
  readonly #context: WorkerContext
  readonly #key: string
  readonly #handles = new Map<string, RunningContainer>()
  #pod: Pod
  #run: PodRun
  #grace = Number.POSITIVE_INFINITY

  constructor(context: WorkerContext, key: string, pod: Pod, podIP: string) {
    this.#context = context
    this.#key = key
    this.#pod = pod
    this.uid = pod.metadata.uid ?? ''
    this.createdAt = context.clock.now()
    const startTime = instantOf(pod.status?.startTime) ?? this.createdAt
    this.#run = { startTime, podIP, containers: new Map() }
  }

  get podIP(): string {
    return this.#run.podIP
  }

  /** Whether no container runs or is being started. */
  get idle(): boolean {
    return this.#handles.size === 0
  }

  /** Whether its first containers are on their way and there is nothing to tell of them yet. */
  get isBeingCreated(): boolean {
    return this.written === undefined && this.#run.containers.size === 0 && this.#handles.size > 0
  }

  /** Brings the containers where they should be; returns when to look again. */
  advance(pod: Pod): number | undefined {
    this.#pod = pod
    const now = this.#context.clock.now()
    const left = this.#deadline(now)
    const { start, wakeAt } = advance(pod, this.#run, now)
    for (const container of start) if (!this.#handles.has(container.name)) this.#start(container)
    const waits = [left, wakeAt === undefined ? undefined : wakeAt - now].filter((wait) => wait !== undefined)
    return waits.length === 0 ? undefined : Math.min(...waits)
  }

  /** Milliseconds left until the pod's own deadline; past it, everything is stopped and the pod has failed. */
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

  /** Asks all containers to end within the grace period; asking again can only shorten it. */
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

  /** Nobody waits for the pod any more: containers end at once and nothing is kept. */
  async abandon(): Promise<void> {
    for (const handle of [...this.#handles.values()]) handle.stop(0)
    await this.#context.engine.forget(this.#pod)
  }

  status(pod: Pod, final: boolean): PodStatus {
    const own = this.written?.conditions ?? []
    const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !own.some((other) => other.type === type))
    const base = { ...pod, status: { ...pod.status, conditions: [...own, ...foreign] } }
    return podStatus(base, this.#run, this.#context.host, this.#context.clock.now(), final)
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
    const handle = engine.start(request, (news) => this.#told(name, news))
    // An engine may tell the end before it has returned.
    const state = this.#run.containers.get(name)
    const over = state !== before && (state?.kind === 'ended' || state?.kind === 'waiting')
    if (!over) this.#handles.set(name, handle)
  }

  #told(name: string, news: ContainerNews): void {
    switch (news.kind) {
      case 'started':
        this.#started(name)
        break
      case 'ready':
        this.#ready(name, news.ready)
        break
      case 'exited':
        this.#exited(name, news.exit)
        break
      case 'refused':
        this.#refused(name, news.reason, news.message)
        break
    }
  }

  #say(severity: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.record(event(this.#pod, severity, reason, message))
  }

  #started(name: string): void {
    // No images are pulled and no containers are made here: of a kubelet's three events only this one is true.
    this.#say('Normal', 'Started', 'Container started')
    const before = this.#run.containers.get(name) ?? waitingFor('ContainerCreating', 0)
    this.#set(name, { ...restarted(before, this.#context.clock.now()), started: true } as ContainerRun)
  }

  #ready(name: string, ready: boolean): void {
    const run = this.#run.containers.get(name)
    if (run?.kind === 'running') this.#set(name, { ...run, ready })
  }

  #refused(name: string, reason: string, message: string): void {
    this.#handles.delete(name)
    this.#say('Warning', 'Failed', `Error: ${reason}: ${message}`)
    this.#set(name, waitingFor(reason, this.#context.clock.now() + refusedBackOff, message))
  }

  #exited(name: string, exit: Exit): void {
    this.#handles.delete(name)
    const now = this.#context.clock.now()
    const before = this.#run.containers.get(name) ?? waitingFor('ContainerCreating', 0)
    if (before.kind !== 'running') {
      // Stopped before it ever ran: there is nothing to report about it.
      this.#context.changed(this.#key)
      return
    }
    const run = ended(before, exit, now)
    this.#set(name, run)
    if (exit.exitCode !== 0 && backOff(run.past.crashes) > 0) {
      const { metadata } = this.#pod
      const message = `Back-off restarting failed container ${name} in pod ${metadata.name}_${metadata.namespace}(${metadata.uid})`
      this.#context.record(event(this.#pod, 'Warning', 'BackOff', message))
    }
  }
}

function waitingFor(reason: string, retryAt: Instant, message?: string): ContainerRun {
  return { kind: 'waiting', reason, ...(message === undefined ? {} : { message }), retryAt, past: nothingYet }
}
