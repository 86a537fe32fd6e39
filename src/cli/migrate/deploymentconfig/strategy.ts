/** How pods are replaced. Rolling and Recreate have the same names for the same things; a strategy of one's own has no counterpart. */
import type { Strategy, Tell } from './types.ts'

/** As OpenShift has it when nothing is said. */
const defaultTimeout = 600
const defaultShare = '25%'

export function strategyOf(strategy: Strategy, minReadySeconds: number, tell: Tell): object {
  sayUnused(strategy, tell)
  const { type = 'Rolling', rollingParams = {}, recreateParams = {} } = strategy
  switch (type) {
    case 'Recreate':
      return { ...deadline(recreateParams.timeoutSeconds, 'recreateParams', minReadySeconds, tell), strategy: { type } }
    case 'Custom':
      tell('spec.strategy.customParams', 'a Deployment cannot run an image of its own as strategy; it rolls instead')
      return { strategy: { type: 'RollingUpdate' } }
    case 'Rolling': {
      const {
        maxSurge = defaultShare,
        maxUnavailable = defaultShare,
        updatePeriodSeconds,
        intervalSeconds,
      } = rollingParams
      if (updatePeriodSeconds !== undefined && updatePeriodSeconds !== 1)
        tell('spec.strategy.rollingParams.updatePeriodSeconds', 'left out: minReadySeconds slows a rollout down')
      if (intervalSeconds !== undefined && intervalSeconds !== 1)
        tell('spec.strategy.rollingParams.intervalSeconds', 'left out: nothing is polled')
      return {
        ...deadline(rollingParams.timeoutSeconds, 'rollingParams', minReadySeconds, tell),
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      }
    }
  }
}

/** A rollout without progress for so long has failed; OpenShift counted from its start. */
function deadline(timeout: number | undefined, params: string, minReadySeconds: number, tell: Tell): object {
  const seconds = timeout ?? defaultTimeout
  if (seconds > minReadySeconds) return { progressDeadlineSeconds: seconds }
  tell(
    `spec.strategy.${params}.timeoutSeconds`,
    `${seconds} is not longer than minReadySeconds; ${minReadySeconds + defaultTimeout} instead`,
  )
  return { progressDeadlineSeconds: minReadySeconds + defaultTimeout }
}

function sayUnused({ labels, annotations, resources }: Strategy, tell: Tell): void {
  const holdsSomething = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0
  if (holdsSomething(resources))
    tell('spec.strategy.resources', 'left out: there is no deployer pod; hooks have the resources of their container')
  if (holdsSomething(labels)) tell('spec.strategy.labels', 'left out: give a hook a jobSpec with labels of its own')
  if (holdsSomething(annotations))
    tell('spec.strategy.annotations', 'left out: give a hook a jobSpec with annotations of its own')
}
