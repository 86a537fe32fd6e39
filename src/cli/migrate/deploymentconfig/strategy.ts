/** Converts the strategy. The fields of Rolling and Recreate have the same names in a Deployment; a custom strategy has no counterpart. */
import type { AddNote, Strategy } from './types.ts'

/** Defaults of OpenShift. */
const defaultTimeoutSeconds = 600
const defaultShare = '25%'

export function strategyOf(strategy: Strategy, minReadySeconds: number, addNote: AddNote): object {
  noteUnused(strategy, addNote)
  const { type = 'Rolling', rollingParams = {}, recreateParams = {} } = strategy
  switch (type) {
    case 'Recreate':
      return {
        ...deadline(recreateParams.timeoutSeconds, 'recreateParams', minReadySeconds, addNote),
        strategy: { type },
      }
    case 'Custom':
      addNote('spec.strategy.customParams', 'a Deployment has no custom strategy; converted to RollingUpdate')
      return { strategy: { type: 'RollingUpdate' } }
    case 'Rolling': {
      const {
        maxSurge = defaultShare,
        maxUnavailable = defaultShare,
        updatePeriodSeconds,
        intervalSeconds,
      } = rollingParams
      if (updatePeriodSeconds !== undefined && updatePeriodSeconds !== 1)
        addNote(
          'spec.strategy.rollingParams.updatePeriodSeconds',
          'dropped: use minReadySeconds to slow down a rollout',
        )
      if (intervalSeconds !== undefined && intervalSeconds !== 1)
        addNote('spec.strategy.rollingParams.intervalSeconds', 'dropped: nothing is polled')
      return {
        ...deadline(rollingParams.timeoutSeconds, 'rollingParams', minReadySeconds, addNote),
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      }
    }
  }
}

/** A rollout without progress for this time has failed; OpenShift counts from the start of the rollout. */
function deadline(timeout: number | undefined, params: string, minReadySeconds: number, addNote: AddNote): object {
  const seconds = timeout ?? defaultTimeoutSeconds
  if (seconds > minReadySeconds) return { progressDeadlineSeconds: seconds }
  addNote(
    `spec.strategy.${params}.timeoutSeconds`,
    `${seconds} is not longer than minReadySeconds; changed to ${minReadySeconds + defaultTimeoutSeconds}`,
  )
  return { progressDeadlineSeconds: minReadySeconds + defaultTimeoutSeconds }
}

function noteUnused({ labels, annotations, resources }: Strategy, addNote: AddNote): void {
  const holdsSomething = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0
  if (holdsSomething(resources))
    addNote('spec.strategy.resources', 'dropped: there is no deployer pod; hooks have the resources of their container')
  if (holdsSomething(labels)) addNote('spec.strategy.labels', 'dropped: set labels in the jobSpec of a hook')
  if (holdsSomething(annotations))
    addNote('spec.strategy.annotations', 'dropped: set annotations in the jobSpec of a hook')
}
