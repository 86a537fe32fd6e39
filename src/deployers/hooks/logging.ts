/** A hook that logs one line at every point and changes nothing, to see what a deployer does with an item and when. */
import { type HookSetup, hookTypes, type ReconcileExtensionHook } from './registry.ts'

const hook: ReconcileExtensionHook = ({ type, deployItem, target, log }) => {
  log.info('hook', {
    point: type,
    ...(deployItem === undefined
      ? {}
      : { phase: deployItem.status?.phase ?? '', generation: deployItem.metadata.generation }),
    ...(target === undefined ? {} : { target: target.metadata.name }),
  })
  return undefined
}

export const loggingSetup: HookSetup = { hook, hookTypes }
