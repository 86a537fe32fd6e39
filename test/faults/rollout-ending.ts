/** What is left of a rollout in the end, without what tells one run from another. */
import { type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { isHidden } from '../../src/rollouts/objects/hidden-replica-set.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { EndedRollout, RolloutPolicy, TargetKind } from '../../src/rollouts/policy/types.ts'
import type { Deployment, PodTemplate } from '../../src/rollouts/policy/workload.ts'
import { kinds } from './rollout-watch.ts'

type EndedSummary = Pick<EndedRollout, 'type' | 'phase' | 'hooks'>

/** What must be the same however often the engine died. */
export interface Ending {
  readonly rollout: EndedSummary | undefined
  readonly history: readonly EndedSummary[]
  readonly versions: Readonly<Record<string, number>>
  /** Images of the ReplicaSets, how many pods each wants, and whether the native controller sees it. */
  readonly sets: readonly string[]
  readonly workload: Left
  /** Hooks whose Jobs are still there. */
  readonly jobs: readonly string[]
  /** Every Job or pod of a hook that was ever created. */
  readonly created: readonly string[]
}

/** What a rollout touches of a workload. */
interface Left {
  readonly strategy: Deployment['spec']['strategy']
  readonly minReadySeconds: number
  readonly progressDeadlineSeconds: number | undefined
  readonly hold: string | undefined
  readonly paused: boolean
  readonly updateStrategy: { readonly type?: string } | undefined
}

const where = { namespace: 'default' }

export async function endingOf(client: KubeClient, kind: TargetKind, created: readonly string[]): Promise<Ending> {
  const { status } = (await client.of(policyType).get('web', where)) as RolloutPolicy
  const { rollout, history = [] } = status ?? {}
  const workload = (await client.of(kinds[kind]).get('web', where)) as KubeObject & { spec: Partial<Left> }
  const { paused = false, minReadySeconds = 0, progressDeadlineSeconds, strategy, updateStrategy } = workload.spec
  const jobs = await client.of(resources.jobs).list(where)
  return {
    rollout: rollout === undefined ? undefined : short(rollout),
    history: history.map(short),
    versions: await versionsOf(client),
    sets: await setsOf(client),
    workload: {
      hold: workload.metadata.labels?.['carabiner.dev/hold'],
      ...{ paused, minReadySeconds, progressDeadlineSeconds, strategy, updateStrategy },
    },
    jobs: jobs.items.map(({ metadata }) => metadata.labels?.['carabiner.dev/hook'] ?? '').toSorted(),
    created: created.toSorted(),
  }
}

const short = ({ type, phase, hooks }: EndedSummary): EndedSummary => ({
  type,
  phase,
  hooks: hooks.map(({ name, point, state, attempts }) => ({ name, point, state, attempts })),
})

async function setsOf(client: KubeClient): Promise<readonly string[]> {
  type ReplicaSet = KubeObject & { readonly spec: { readonly replicas: number; readonly template: PodTemplate } }
  const { items } = await client.of<ReplicaSet>(resources.replicaSets).list(where)
  return items
    .map((set) => {
      const { replicas, template } = set.spec
      return `${template.spec.containers[0]?.image} ${replicas}${isHidden(set) ? ' hidden' : ''}`
    })
    .toSorted()
}

/** Pods by image. */
async function versionsOf(client: KubeClient): Promise<Readonly<Record<string, number>>> {
  const versions: Record<string, number> = {}
  for (const pod of (await client.of(resources.pods).list({ ...where, labelSelector: 'app=web' })).items) {
    const image = pod.spec.containers[0]?.image ?? ''
    versions[image] = (versions[image] ?? 0) + 1
  }
  return versions
}
