/** The rollouts that are disturbed: every kind of workload, every way one can end. */
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { at, job } from '../sandbox/rollouts.ts'
import type { Scenario } from './rollout-world.ts'

/** The ledger has seen the Job of the hook. */
const isRunning = (hook: string) => (policy: RolloutPolicy) =>
  policy.status?.rollout?.hooks.some(
    ({ name, state, object }) => name === hook && state === 'Running' && object !== undefined,
  ) === true
const isOver = ({ status }: RolloutPolicy): boolean => status?.rollout?.endedAt !== undefined
const hook = (name: string, point: number | string, settings = {}) => ({
  name,
  trigger: at(point),
  jobSpec: job(settings),
})
const broken = { 'exit-code': '1' }

export const scenarios: readonly Scenario[] = [
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
  {
    name: 'a new template while the first hook runs',
    kind: 'Deployment',
    replicas: 2,
    policy: { lifecycleHooks: [hook('migrate', 0, { 'run-for': '200s' })] },
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
    policy: { lifecycleHooks: [hook('migrate', 0), hook('smoke', '50%', { 'run-for': '200s' })] },
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
    policy: { lifecycleHooks: [hook('migrate', 0), { ...hook('back', '50%'), on: ['ROLLBACK'] }] },
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
    largest: 4,
    policy: { lifecycleHooks: [hook('smoke', '50%', { 'run-for': '200s' }), hook('later', '75%')] },
    async play(user) {
      await user.roll(2)
      await user.until(isRunning('smoke'))
      await user.sleep(1)
      await user.scale(4)
    },
  },
]
