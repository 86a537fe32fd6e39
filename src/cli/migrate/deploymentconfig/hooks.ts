/** Converts the hooks pre, mid and post, which have the same names and fields in a RolloutPolicy. Tagging image streams is not supported. */
import type { Handler, LifecycleHook, PodTemplate } from '../../../rollouts/index.ts'
import type { AddNote, Hook, Strategy } from './types.ts'

interface Hooks {
  readonly lifecycle?: Readonly<Record<string, Handler>>
  readonly lifecycleHooks?: readonly LifecycleHook[]
}

/** Undefined when there are no hooks to convert. */
export function hooksOf(strategy: Strategy, template: PodTemplate, addNote: AddNote): Hooks | undefined {
  const { type = 'Rolling', rollingParams = {}, recreateParams = {}, activeDeadlineSeconds } = strategy
  const [params, path] = type === 'Recreate' ? [recreateParams, 'recreateParams'] : [rollingParams, 'rollingParams']
  const lifecycle: Record<string, Handler> = {}
  const lifecycleHooks: LifecycleHook[] = []
  for (const name of ['pre', 'mid', 'post'] as const) {
    const hook = params[name]
    const field = `spec.strategy.${path}.${name}`
    const handler = hook && handlerOf(hook, { field, template, timeoutSeconds: activeDeadlineSeconds }, addNote)
    if (handler === undefined) continue
    if (name === 'mid' && type !== 'Recreate') addNote(field, 'dropped: only the strategy Recreate has a mid hook')
    else if (name === 'post' && handler.failurePolicy === 'Abort') {
      addNote(
        `${field}.failurePolicy`,
        'converted to the hook post-check at 100%, so that its failure aborts the rollout',
      )
      const trigger = { type: 'ProgressAvailable', progressAvailableParams: { progressPoint: '100%' } } as const
      lifecycleHooks.push({ name: 'post-check', trigger, ...handler })
    } else {
      if (name === 'mid' && handler.failurePolicy === 'Abort')
        addNote(
          `${field}.failurePolicy`,
          'a DeploymentConfig goes back to its last version; after an abort here no pod runs until the rollout is retried or undone, unless onAbort is Undo',
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

interface HookPosition {
  /** Path of the hook in the DeploymentConfig. */
  readonly field: string
  readonly template: PodTemplate
  readonly timeoutSeconds: number | undefined
}

function handlerOf(
  { failurePolicy = 'Abort', execNewPod, tagImages = [] }: Hook,
  { field, template: { spec }, timeoutSeconds }: HookPosition,
  addNote: AddNote,
): Handler | undefined {
  for (const { containerName, to } of tagImages)
    addNote(`${field}.tagImages`, `dropped: tag the image of ${containerName} as ${to.name} in a Job that runs oc tag`)
  if (execNewPod === undefined) return undefined
  const { containerName, command, env, volumes } = execNewPod
  if (!spec.containers.some(({ name }) => name === containerName))
    addNote(
      `${field}.execNewPod.containerName`,
      `the template has no container ${containerName}; fix the name, or the policy is stalled`,
    )
  const unknown = (volumes ?? []).filter((volume) => !(spec.volumes ?? []).some(({ name }) => name === volume))
  if (unknown.length > 0) addNote(`${field}.execNewPod.volumes`, `the template has no volume ${unknown.join(', ')}`)
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
