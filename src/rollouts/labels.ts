/**
 * The labels rollouts leave on objects. Labels and not annotations, because undoing a rollout replaces the annotations of a Deployment
 * with those of the old revision.
 */

/** On a workload: the name of its policy. Set and removed by the engine. */
export const optInLabel = 'carabiner.dev/rollout-policy'
/** On a workload whose gate is closed. */
export const holdLabel = 'carabiner.dev/hold'
/** On a workload: set to `true`, it opens the gate without waiting for hooks. */
export const releaseLabel = 'carabiner.dev/release'

/**
 * Why the gate is closed: `gate` before anything happened, `user-paused` when its owner had paused the Deployment, `step` while
 * the engine holds it at a point between, `mid` while a Deployment that recreates its pods has none.
 */
export type Hold = 'gate' | 'user-paused' | 'step' | 'mid'

/**
 * On a policy: requests for the rollout with this id, to retry an aborted one, to abort one under way, or to undo one that is under way, aborted
 * or complete. Annotations, because only workloads lose theirs; removed once they are recorded.
 */
export const retryAnnotation = 'carabiner.dev/retry'
export const abortAnnotation = 'carabiner.dev/abort'
export const undoAnnotation = 'carabiner.dev/undo'

/** On Jobs and pods of hooks. */
export { hookLabel } from '../hooks/index.ts'
export const policyLabel = 'carabiner.dev/policy'
export const rolloutLabel = 'carabiner.dev/rollout'
export const revisionLabel = 'carabiner.dev/revision'

/** On a ReplicaSet that is hidden from the native controller of its Deployment. */
export const hiddenLabel = 'carabiner.dev/apart'

/** On a revision object: how the pods of `pre` and `post` ended, with the names that OpenShift used. */
export const lifecyclePrefix = 'openshift.io/deployment.lifecycle.'

/** On everything an installation puts into the cluster. */
export const installationLabels = { 'app.kubernetes.io/part-of': 'carabiner' } as const
export const installationSelector = 'app.kubernetes.io/part-of=carabiner'
