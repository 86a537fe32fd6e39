/** The rollouts that are disturbed: every kind of workload, every way one can end. */
import { abortAnnotation, retryAnnotation, undoAnnotation } from '../../src/rollouts/labels.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { at, job } from '../sandbox/rollouts.ts'
import type { Scenario } from './rollout-user.ts'

/** The ledger has seen the Job of the hook. */
const isRunning = (hook: string) => (policy: RolloutPolicy) =>
  policy.status?.rollout?.hooks.some(
    ({ name, state, object }) => name === hook && state === 'Running' && object?.uid !== undefined,
  ) === true
const isOver = ({ status }: RolloutPolicy): boolean => status?.rollout?.endedAt !== undefined
const hook = (name: string, point: number | string, settings = {}) => ({
  name,
  trigger: at(point),
  jobSpec: job(settings),
})
const broken = { 'exit-code': '1' }
const handler = <P extends 'Abort' | 'Ignore'>(failurePolicy: P, settings = {}) => ({
  failurePolicy,
  jobSpec: job(settings),
})
/** The rollout that takes another one back has ended. */
const isUndone = (policy: RolloutPolicy): boolean => isOver(policy) && policy.status?.rollout?.undoOf !== undefined

/** To the end, for every kind of workload. */
const plainScenarios: readonly Scenario[] = [
  {
    name: 'a Deployment with Jobs at 0, 50% and 100%',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('migrate', 0), hook('smoke', '50%'), hook('tell', '100%')] },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
  {
    name: 'a Deployment that recreates its pods',
    kind: 'Deployment',
    replicas: 2,
    spec: { strategy: { type: 'Recreate' } },
    policy: { lifecycleHooks: [hook('migrate', 0), hook('tell', '100%')] },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
  {
    name: 'a Deployment that recreates its pods, with a Job in between',
    kind: 'Deployment',
    replicas: 2,
    spec: { strategy: { type: 'Recreate' } },
    policy: { lifecycle: { pre: handler('Abort'), mid: handler('Abort'), post: handler('Ignore') } },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
  {
    name: 'a StatefulSet with two points',
    kind: 'StatefulSet',
    replicas: 2,
    policy: { lifecycleHooks: [hook('first', 1), hook('tell', '100%')] },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
  {
    name: 'a DaemonSet with two points',
    kind: 'DaemonSet',
    replicas: 3,
    policy: { lifecycleHooks: [hook('migrate', 0), hook('first', 1)] },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
]

/** Stopped by a hook or by hand, and tried again. */
const abortScenarios: readonly Scenario[] = [
  {
    name: 'an abort before the first pod',
    kind: 'Deployment',
    replicas: 2,
    policy: {
      lifecycleHooks: [
        { ...hook('migrate', 0, broken), retainPolicy: 'Never' },
        { name: 'tell', trigger: { type: 'Aborted' }, jobSpec: job() },
      ],
    },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
  {
    name: 'an abort half way',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('smoke', '50%', broken)] },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
  {
    name: 'an abort by hand, tried again',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('smoke', '50%', { 'run-for': '100s' })] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('smoke'))
      await user.sleep(1)
      await user.tell(abortAnnotation)
      await user.until(isOver)
      await user.sleep(60)
      await user.tell(retryAnnotation)
    },
  },
  {
    name: 'a hook that takes too long, tried twice',
    kind: 'Deployment',
    replicas: 1,
    policy: {
      lifecycleHooks: [
        {
          ...hook('migrate', 0, { 'run-for': '1h' }),
          timeoutSeconds: 100,
          failurePolicy: 'Retry',
          retry: { limit: 1, backoffSeconds: 10 },
        },
      ],
    },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
    },
  },
]

/** Taken back. */
const undoScenarios: readonly Scenario[] = [
  {
    name: 'an abort half way that is undone',
    kind: 'Deployment',
    replicas: 2,
    policy: {
      onAbort: 'Undo',
      lifecycleHooks: [
        hook('smoke', '50%', broken),
        { name: 'tell', trigger: { type: 'Aborted' }, jobSpec: job() },
        { ...hook('back', 0), rolloutTypes: ['UNDO'] },
      ],
    },
    async play(user) {
      await user.roll(2)
      await user.until(isUndone)
    },
  },
  {
    name: 'an abort without pods that is undone',
    kind: 'Deployment',
    replicas: 2,
    spec: { strategy: { type: 'Recreate' } },
    policy: { onAbort: 'Undo', lifecycle: { mid: handler('Abort', broken) } },
    async play(user) {
      await user.roll(2)
      await user.until(isUndone)
    },
  },
  {
    name: 'a StatefulSet that is undone',
    kind: 'StatefulSet',
    replicas: 3,
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
    policy: { onAbort: 'Undo', lifecycleHooks: [hook('first', 1, broken)] },
    async play(user) {
      await user.roll(2)
      await user.until(isUndone)
    },
  },
  {
    name: 'a DaemonSet that is undone by request',
    kind: 'DaemonSet',
    replicas: 3,
    policy: { lifecycleHooks: [hook('first', 1, { 'run-for': '100s' })] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('first'))
      await user.sleep(1)
      await user.tell(undoAnnotation)
      await user.until(isUndone)
    },
  },
]

/** Something else is wanted on the way. */
const interruptionScenarios: readonly Scenario[] = [
  {
    name: 'a new template while the first hook runs',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('migrate', 0, { 'run-for': '100s' })] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('migrate'))
      await user.sleep(1)
      await user.roll(3)
    },
  },
  {
    name: 'a new template half way',
    kind: 'Deployment',
    replicas: 4,
    policy: { lifecycleHooks: [hook('migrate', 0), hook('smoke', '50%', { 'run-for': '100s' })] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('smoke'))
      await user.sleep(1)
      await user.roll(3)
    },
  },
  {
    name: 'a rollback',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('migrate', 0), { ...hook('back', '50%'), rolloutTypes: ['ROLLBACK'] }] },
    async play(user) {
      await user.roll(2)
      await user.until(isOver)
      await user.roll(1)
    },
  },
  {
    name: 'scaling while a point is held',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('smoke', '50%', { 'run-for': '100s' }), hook('later', '75%')] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('smoke'))
      await user.sleep(1)
      await user.scale(4)
    },
  },
]

/** Nothing runs. */
const emptyScenarios: readonly Scenario[] = [
  {
    name: 'another template and scaling up from nothing while the first hook runs',
    kind: 'Deployment',
    replicas: 0,
    policy: { lifecycleHooks: [hook('migrate', 0, { 'run-for': '100s' })] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('migrate'))
      await user.sleep(1)
      await user.roll(3)
      await user.until((policy) => policy.status?.history?.length === 1 && isRunning('migrate')(policy))
      await user.sleep(1)
      await user.scale(2)
    },
  },
]

export const scenarios = [
  ...plainScenarios,
  ...abortScenarios,
  ...undoScenarios,
  ...interruptionScenarios,
  ...emptyScenarios,
]
