/**
 * Whether an object has reached its spec, by the rules that kstatus, Flux and Helm share: an object whose generation is not observed is never
 * done, known kinds have rules of their own, other kinds are done unless their conditions say otherwise.
 */
import type { Condition } from './kinds/index.ts'
import type { KubeObject } from './object.ts'

export interface ObjectProgress {
  readonly state: 'done' | 'working' | 'failed'
  readonly message: string
}

interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly updateStrategy?: { readonly rollingUpdate?: { readonly partition?: number } }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly Condition[]
    readonly phase?: string
    readonly [count: string]: unknown
  }
}

const done: ObjectProgress = { state: 'done', message: 'as wanted' }

export function progressOf(object: KubeObject): ObjectProgress {
  const workload: Workload = object
  if (workload.metadata.deletionTimestamp !== undefined) return working('being deleted')
  const observed = workload.status?.observedGeneration
  if (observed !== undefined && observed < (workload.metadata.generation ?? 0))
    return working('the new generation is not observed yet')
  return (rules[workload.kind] ?? byConditions)(workload)
}

const rules: Readonly<Record<string, (workload: Workload) => ObjectProgress>> = {
  Deployment(workload) {
    const late = conditionOf(workload, 'Progressing')
    if (late?.reason === 'ProgressDeadlineExceeded') return failed(late.message ?? 'the progress deadline was exceeded')
    return counted(workload, ['updatedReplicas', 'replicas', 'availableReplicas'])
  },
  ReplicaSet: (workload) => counted(workload, ['replicas', 'availableReplicas']),
  StatefulSet(workload) {
    const partition = workload.spec?.updateStrategy?.rollingUpdate?.partition ?? 0
    const ready = counted(workload, ['readyReplicas'])
    if (ready.state !== 'done' || partition > 0) return ready
    return counted(workload, ['updatedReplicas', 'availableReplicas'])
  },
  DaemonSet(workload) {
    const wanted = countOf(workload, 'desiredNumberScheduled')
    if (workload.status?.observedGeneration === undefined) return working('not observed yet')
    return reached(workload, ['updatedNumberScheduled', 'numberAvailable'], wanted)
  },
  Job(workload) {
    const broken = conditionOf(workload, 'Failed')
    if (broken?.status === 'True') return failed(broken.message ?? 'the job failed')
    return conditionOf(workload, 'Complete')?.status === 'True'
      ? done
      : working(`${countOf(workload, 'succeeded')} pods succeeded`)
  },
  Pod(workload) {
    const phase = workload.status?.phase
    if (phase === 'Succeeded') return done
    if (phase === 'Failed') return failed('the pod failed')
    return conditionOf(workload, 'Ready')?.status === 'True' ? done : working(`phase ${phase ?? 'unknown'}`)
  },
  CustomResourceDefinition: (workload) =>
    conditionOf(workload, 'Established')?.status === 'True' ? done : working('not established yet'),
  Namespace: (workload) => (workload.status?.phase === 'Active' ? done : working('not active yet')),
}

function byConditions(workload: Workload): ObjectProgress {
  const stalled = conditionOf(workload, 'Stalled')
  if (stalled?.status === 'True') return failed(stalled.message ?? 'stalled')
  const reconciling = conditionOf(workload, 'Reconciling')
  if (reconciling?.status === 'True') return working(reconciling.message ?? 'reconciling')
  const ready = conditionOf(workload, 'Ready')
  return ready === undefined || ready.status === 'True' ? done : working(ready.message ?? 'not ready')
}

function counted(workload: Workload, counts: readonly string[]): ObjectProgress {
  if (workload.status?.observedGeneration === undefined) return working('not observed yet')
  return reached(workload, counts, workload.spec?.replicas ?? 1)
}

function reached(workload: Workload, counts: readonly string[], wanted: number): ObjectProgress {
  for (const name of counts) {
    const count = countOf(workload, name)
    if (count !== wanted) return working(`${name}: ${count} of ${wanted}`)
  }
  return done
}

function countOf(workload: Workload, name: string): number {
  const count = workload.status?.[name]
  return typeof count === 'number' ? count : 0
}

function conditionOf(workload: Workload, type: string): Condition | undefined {
  return workload.status?.conditions?.find((condition) => condition.type === type)
}

function working(message: string): ObjectProgress {
  return { state: 'working', message }
}

function failed(message: string): ObjectProgress {
  return { state: 'failed', message }
}
