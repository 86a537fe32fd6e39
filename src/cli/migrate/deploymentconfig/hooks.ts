/** pre, mid and post, which have the same names and fields here. Tags of image streams cannot be set from here. */
import type { Handler, LifecycleHook } from '../../../rollouts/policy/types.ts'
import type { PodTemplate } from '../../../rollouts/policy/workload.ts'
import type { Hook, Strategy, Tell } from './types.ts'

interface Hooks {
  readonly lifecycle?: Readonly<Record<string, Handler>>
  readonly lifecycleHooks?: readonly LifecycleHook[]
}

/** Undefined when there are none to carry over. */
export function hooksOf(strategy: Strategy, template: PodTemplate, tell: Tell): Hooks | undefined {
  const { type = 'Rolling', rollingParams = {}, recreateParams = {}, activeDeadlineSeconds } = strategy
  const [params, path] = type === 'Recreate' ? [recreateParams, 'recreateParams'] : [rollingParams, 'rollingParams']
  const lifecycle: Record<string, Handler> = {}
  const lifecycleHooks: LifecycleHook[] = []
  for (const name of ['pre', 'mid', 'post'] as const) {
    const hook = params[name]
    const field = `spec.strategy.${path}.${name}`
    const handler = hook && handlerOf(hook, field, template, activeDeadlineSeconds, tell)
    if (handler === undefined) continue
    if (name === 'mid' && type !== 'Recreate') tell(field, 'left out: only Recreate has a middle')
    else if (name === 'post' && handler.failurePolicy === 'Abort') {
      tell(
        `${field}.failurePolicy`,
        'Abort after the rollout: the hook is now post-check at 100%, and holds the rollout when it fails',
      )
      const trigger = { type: 'ProgressAvailable', progressAvailableParams: { progressPoint: '100%' } } as const
      lifecycleHooks.push({ name: 'post-check', trigger, ...handler })
    } else {
      if (name === 'mid' && handler.failurePolicy === 'Abort')
        tell(
          `${field}.failurePolicy`,
          'a DeploymentConfig went back to its last good version; here no pod runs until somebody retries or undoes the rollout, unless you set onAbort: Undo',
        )
      lifecycle[name] = handler
    }
  }
  if (Object.keys(lifecycle).length === 0 && lifecycleHooks.length === 0) return undefined
  return {
    ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
    ...(lifecycleHooks.length === 0 ? {} : { lifecycleHooks }),
  }
}

function handlerOf(
  { failurePolicy = 'Abort', execNewPod, tagImages = [] }: Hook,
  field: string,
  { spec }: PodTemplate,
  timeoutSeconds: number | undefined,
  tell: Tell,
): Handler | undefined {
  for (const { containerName, to } of tagImages)
    tell(`${field}.tagImages`, `left out: tag the image of ${containerName} as ${to.name} in a Job that runs oc tag`)
  if (execNewPod === undefined) return undefined
  const { containerName, command, env, volumes } = execNewPod
  if (!spec.containers.some(({ name }) => name === containerName))
    tell(
      `${field}.execNewPod.containerName`,
      `the template has no container ${containerName}: mend it, or the policy is stalled`,
    )
  const unknown = (volumes ?? []).filter((volume) => !(spec.volumes ?? []).some(({ name }) => name === volume))
  if (unknown.length > 0) tell(`${field}.execNewPod.volumes`, `the template has no volume ${unknown.join(', ')}`)
  return {
    failurePolicy,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    execNewPod: {
      containerName,
      command,
      ...(env === undefined || env.length === 0 ? {} : { env }),
      ...(volumes === undefined || volumes.length === 0 ? {} : { volumes }),
    },
  }
}
