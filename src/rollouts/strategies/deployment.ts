/**
 * Deployments. Before the first pod the gate is `paused`; points between are held by a virtual partition: with an endless
 * minReadySeconds no new pod ever counts as available, so the native controller settles at exactly maxUnavailable + maxSurge new pods
 * and cannot pass it.
 */
import { openLabels, pendingEditsOf } from '../gate/pending-edits.ts'
import { holdLabel } from '../labels.ts'
import type { Deployment } from '../policy/workload.ts'
import { availability, type Progress, rollingBudget, type Step, type Strategy, type View } from './strategy.ts'

const endlessReady = 2_147_483_646
/** Means "no deadline" to the native controller, and must be larger than minReadySeconds. */
const endlessDeadline = 2_147_483_647

interface Saved {
  readonly minReadySeconds?: number
  readonly progressDeadlineSeconds?: number
  readonly strategy?: Deployment['spec']['strategy']
  /** Only while there are no pods because the engine wants none. */
  readonly replicas?: number
}

export const deploymentStrategy: Strategy = {
  size(workload, saved) {
    const { metadata, spec } = workload as Deployment
    return (isEmptied(metadata) ? (saved as Saved).replicas : undefined) ?? spec.replicas ?? 1
  },

  save(workload) {
    const { minReadySeconds = 0, progressDeadlineSeconds = 600, strategy = {} } = (workload as Deployment).spec
    return { minReadySeconds, progressDeadlineSeconds, strategy }
  },

  wanted(workload, saved) {
    const { metadata, spec } = workload as Deployment
    const { strategy: type, maxSurge, maxUnavailable, ...plain } = pendingEditsOf(workload)
    const { replicas, strategy = {}, ...rest } = saved as Saved
    const rollingUpdate = {
      ...strategy.rollingUpdate,
      ...(maxSurge === undefined ? {} : { maxSurge }),
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    }
    const wanted = { ...strategy, ...(type === undefined ? {} : { type }), rollingUpdate }
    // Who scales a Deployment that has no pods for the moment means those that come afterwards.
    const own = spec.replicas === 0 ? replicas : spec.replicas
    return {
      ...rest,
      strategy: wanted.type === 'Recreate' ? { type: 'Recreate' } : wanted,
      ...(isEmptied(metadata) && own !== undefined ? { replicas: own } : {}),
      ...plain,
    }
  },

  progress(view): Progress {
    const { spec, status = {}, metadata } = view.workload as Deployment
    const replicas = spec.replicas ?? 1
    const fresh = view.pods.filter(({ revision }) => revision === view.target.uid)
    const { available, wakeAt } = availability(fresh, (view.saved as Saved).minReadySeconds ?? 0, view.now)
    const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
    const counts = [status.replicas, status.updatedReplicas, status.availableReplicas]
    const complete = seen && counts.every((count) => (count ?? 0) === replicas)
    return { available, complete, ...(wakeAt === undefined ? {} : { wakeAt }) }
  },

  advance(view, pods): Step {
    const { spec } = view.workload as Deployment
    const saved = view.saved as Saved
    if (saved.strategy?.type === 'Recreate') return patchUnless(view, openPatch(saved))
    const replicas = spec.replicas ?? 1
    const { surge, missing } = rollingBudget(saved.strategy?.rollingUpdate, replicas)
    const extra = extraOf(view.workload as Deployment, pods, surge)
    if (extra === undefined) return { do: 'wait' }
    const { available } = deploymentStrategy.progress(view)
    const replaced = Math.min(pods - extra, available + missing)
    if (!hasFollowed(view.workload as Deployment, replaced)) return { do: 'wait' }
    return patchUnless(view, {
      metadata: { labels: { [holdLabel]: 'step' } },
      spec: {
        paused: false,
        minReadySeconds: endlessReady,
        progressDeadlineSeconds: endlessDeadline,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: extra, maxUnavailable: replaced } },
      },
    })
  },

  allowance(workload) {
    const { maxSurge, maxUnavailable } = (workload as Deployment).spec.strategy?.rollingUpdate ?? {}
    return isStepped(workload as Deployment) ? Number(maxSurge) + Number(maxUnavailable) : undefined
  },

  empty({ workload, pods, saved }) {
    const { metadata, spec } = workload as Deployment
    const replicas = spec.replicas ?? 1
    if (replicas !== 0 || !isEmptied(metadata)) {
      const patch = { metadata: { labels: { [holdLabel]: 'mid' } }, spec: { replicas: 0 } }
      return { do: 'patch', patch, saved: { ...saved, replicas } }
    }
    return pods.every(({ isFailed }) => isFailed) ? { do: 'done' } : { do: 'wait' }
  },

  open: (saved) => openPatch(saved as Saved),

  freeze(workload) {
    if ((workload as Deployment).spec.paused === true) return undefined
    // Without the label the next template would look as if its owner had paused the Deployment.
    return { metadata: { labels: { [holdLabel]: 'step' } }, spec: { paused: true } }
  },
}

function isEmptied({ labels }: Deployment['metadata']): boolean {
  return labels?.[holdLabel] === 'mid'
}

/**
 * Whether the native controller has seen the old pods go that it was told to end. It ends as many as it takes for available beyond those
 * that must be: told of the next ones too early, it would end them twice.
 */
function hasFollowed(workload: Deployment, replaced: number): boolean {
  const { metadata, spec, status = {} } = workload
  const before = Number(spec.strategy?.rollingUpdate?.maxUnavailable)
  if (!isStepped(workload) || replaced <= before) return true
  const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  return seen && (status.availableReplicas ?? 0) <= Math.max(0, (spec.replicas ?? 1) - before)
}

/** Whether it was told a number of pods, and follows. */
function isStepped({ metadata, spec }: Deployment): boolean {
  const { maxUnavailable } = spec.strategy?.rollingUpdate ?? {}
  return metadata.labels?.[holdLabel] === 'step' && spec.paused !== true && typeof maxUnavailable === 'number'
}

/**
 * How many pods there may be beyond the replicas, so that no more than `pods` are new; undefined as long as that cannot be told. What has taken
 * the place of old pods stays where it is, also when the owner wants another surge meanwhile: both would add up. And who scales has the
 * native controller share the pods among both revisions, so that fewer old ones may be left than it was told to keep: new ones would take their
 * place. How many there are it says when it has made them all.
 */
function extraOf(workload: Deployment, pods: number, surge: number): number | undefined {
  const { metadata, spec, status = {} } = workload
  const extra = (replaced: number) => Math.max(0, Math.min(surge, pods - replaced))
  const wanted = extra(replacedIn(workload))
  const before = Number(spec.strategy?.rollingUpdate?.maxSurge)
  // An owner may have overwritten the budget, where no gate pins it.
  const isRaised = isStepped(workload) && wanted > before
  if (!isRaised) return wanted
  const { replicas = 0, updatedReplicas = 0, observedGeneration = 0 } = status
  const own = spec.replicas ?? 1
  if (observedGeneration < (metadata.generation ?? 0) || replicas !== own + before) return undefined
  return extra(Math.max(replacedIn(workload), own - (replicas - updatedReplicas)))
}

/** How many old pods it was told to do without so far. */
function replacedIn(workload: Deployment): number {
  return isStepped(workload) ? Number(workload.spec.strategy?.rollingUpdate?.maxUnavailable) : 0
}

function openPatch({ minReadySeconds, progressDeadlineSeconds, strategy, replicas }: Saved): object {
  return {
    metadata: { labels: openLabels },
    spec: {
      paused: false,
      minReadySeconds,
      progressDeadlineSeconds,
      ...(replicas === undefined ? {} : { replicas }),
      strategy: strategy?.type === 'Recreate' ? { type: 'Recreate', rollingUpdate: null } : strategy,
    },
  }
}

/** Waits when the workload is already as the patch would make it. */
function patchUnless({ workload }: View, patch: { metadata?: object; spec?: object } & object): Step {
  return covers(workload, patch) ? { do: 'wait' } : { do: 'patch', patch }
}

function covers(value: unknown, patch: unknown): boolean {
  if (patch === null) return value === undefined || value === null
  if (typeof patch !== 'object')
    return value === patch || (patch === false && value === undefined) || (patch === 0 && value === undefined)
  const record = (value ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(patch as object).every(([key, wanted]) => wanted === undefined || covers(record[key], wanted))
}
