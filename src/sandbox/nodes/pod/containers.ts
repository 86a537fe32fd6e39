/** Computes container statuses as a kubelet does. */

import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { fnv32a } from '../../kinds/hash.ts'
import { timestamp } from '../../kinds/time.ts'
import type { Exit } from '../engine.ts'
import { isSidecar, restarts } from './advance.ts'
import { backOff, type ContainerRun, type PodRun } from './run.ts'

/** A 64-digit id like those of container runtimes: half from the pod, half from the attempt. */
function containerId(pod: Pod, container: Container, attempt: number): string {
  const uid = (pod.metadata.uid ?? '').replaceAll('-', '').padStart(32, '0')
  const own = fnv32a(`${container.name}/${attempt}`).toString(16).padStart(8, '0')
  return `containerd://${uid}${own.repeat(4)}`
}

function terminated(
  { since, at, exit }: { readonly since: Instant; readonly at: Instant; readonly exit: Exit },
  containerID: string,
): ContainerStateTerminated {
  return {
    exitCode: exit.exitCode,
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    reason: exit.reason ?? (exit.exitCode === 0 ? 'Completed' : 'Error'),
    ...(exit.message === undefined ? {} : { message: exit.message }),
    startedAt: timestamp(since),
    finishedAt: timestamp(at),
    containerID,
  }
}

function backOffText(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

/** A container in back-off is shown as waiting, with its exit as the last state. */
function crashLoop(pod: Pod, container: Container, wait: number): ContainerState {
  const { name, namespace, uid } = pod.metadata
  const message = `back-off ${backOffText(wait)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`
  return { waiting: { reason: 'CrashLoopBackOff', message } }
}

export interface StatusContext {
  readonly initialized: boolean
  /** The pod is terminating: stopped containers are not restarted. */
  readonly final: boolean
}

export function containerStatus(
  pod: Pod,
  container: Container,
  run: ContainerRun | undefined,
  { init, initialized, final }: StatusContext & { readonly init: boolean },
): ContainerStatus {
  const base = { name: container.name, image: container.image ?? '', imageID: '' }
  if (run === undefined || run.kind === 'waiting') {
    const reason = run?.reason ?? (init || !initialized ? 'PodInitializing' : 'ContainerCreating')
    const waiting = { reason, ...(run?.message === undefined ? {} : { message: run.message }) }
    return {
      ...base,
      state: { waiting },
      lastState: {},
      ready: false,
      restartCount: 0,
      ...(init ? {} : { started: false }),
    }
  }
  const { restarts: restartCount, last } = run.past
  const containerID = containerId(pod, container, restartCount)
  const known = { ...base, imageID: `${base.image}@sha256:${'0'.repeat(64)}`, restartCount, containerID }
  const previous =
    last === undefined ? {} : { terminated: terminated(last, containerId(pod, container, restartCount - 1)) }
  if (run.kind === 'running') {
    const state = { running: { startedAt: timestamp(run.since) } }
    const ready = init && !isSidecar(container) ? false : run.ready
    return { ...known, state, lastState: previous, ready, started: run.started }
  }
  const end = terminated(run, containerID)
  const wait = backOff(run.past.crashes)
  const again =
    !final &&
    wait > 0 &&
    (init && !isSidecar(container) ? run.exit.exitCode !== 0 : restarts(pod, container, run.exit.exitCode))
  if (again && pod.spec.restartPolicy !== 'Never') {
    return {
      ...known,
      state: crashLoop(pod, container, wait),
      lastState: { terminated: end },
      ready: false,
      started: false,
    }
  }
  const passed = init && !isSidecar(container) && run.exit.exitCode === 0
  return { ...known, state: { terminated: end }, lastState: previous, ready: passed, started: false }
}

export function containerStatuses(
  pod: Pod,
  run: PodRun,
  context: StatusContext,
): Pick<NonNullable<Pod['status']>, 'containerStatuses' | 'initContainerStatuses'> {
  const statusOf = (container: Container, init: boolean) =>
    containerStatus(pod, container, run.containers.get(container.name), { ...context, init })
  const inits = pod.spec.initContainers ?? []
  return {
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map((container) => statusOf(container, true)) }),
    containerStatuses: pod.spec.containers.map((container) => statusOf(container, false)),
  }
}
