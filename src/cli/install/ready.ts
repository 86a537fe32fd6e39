/** Waits until the pods of an installation run, and says why they do not: an object that was applied is not an operator that works. */
import { createReflector, type KubeClient, type KubeObject, progressOf } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import { type PodObject, troubleOf } from './trouble.ts'

export interface Place {
  readonly namespace: string
  readonly name: string
}

export interface Wait {
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
  /** Called when what is waited for has changed. */
  say(text: string): void
}

interface Seen {
  readonly deployment: KubeObject | undefined
  readonly pods: readonly PodObject[]
}

/** Resolves with what runs; rejects when the pods are not ready in time, or the Deployment has failed. */
export async function untilRunning(client: KubeClient, runtime: Runtime, place: Place, wait: Wait): Promise<string> {
  const done = new AbortController()
  const signal = AbortSignal.any([wait.signal, done.signal])
  const follow = followed(client, runtime, place, signal)
  let timedOut = false
  const timer = runtime.clock.after(wait.timeoutSeconds * 1000, () => {
    timedOut = true
    follow.notify()
  })
  try {
    for (;;) {
      const changed = follow.next()
      const seen = follow.seen()
      const state = stateOf(place, seen)
      if (state.isRunning) return state.text
      wait.say(state.text)
      if (state.hasFailed || timedOut) {
        const duration = state.hasFailed ? '' : ` after ${wait.timeoutSeconds} s`
        const message = `the operator does not run${duration}: ${state.text}${await lastWords(client, seen)}`
        throw new CarabinerError('CRB_INSTALL_NOT_READY', message)
      }
      await changed
      wait.signal.throwIfAborted()
    }
  } finally {
    timer.cancel()
    done.abort()
    await follow.ended
  }
}

/** The Deployment and its pods, and when one of them changes. */
function followed(client: KubeClient, runtime: Runtime, { namespace, name }: Place, signal: AbortSignal) {
  const keep = <T>(object: KubeObject) => object as T
  const deployments = createReflector<KubeObject>(client.of(resources.deployments), runtime, {
    ...{ namespace, fieldSelector: `metadata.name=${name}`, project: keep },
  })
  const pods = createReflector<PodObject>(client.of(resources.pods), runtime, {
    ...{ namespace, labelSelector: `app.kubernetes.io/name=${name}`, project: keep },
  })
  let notify = () => {}
  const next = () =>
    new Promise<void>((resolve) => {
      notify = resolve
    })
  for (const { cache } of [deployments, pods]) cache.subscribe(() => notify())
  const running = [deployments, pods].map((reflector) => reflector.run(AbortSignal.any([signal])))
  signal.addEventListener('abort', () => notify(), { once: true })
  return {
    next,
    notify: () => notify(),
    seen: (): Seen => ({ deployment: [...deployments.cache.values()][0], pods: [...pods.cache.values()] }),
    ended: Promise.allSettled(running),
  }
}

function stateOf({ namespace, name }: Place, { deployment, pods }: Seen) {
  const title = `deployment/${name} in namespace ${namespace}`
  if (deployment === undefined) return { isRunning: false, hasFailed: false, text: `${title} is not seen yet` }
  const { state, message } = progressOf(deployment)
  const { replicas = 1 } = (deployment as { readonly spec?: { readonly replicas?: number } }).spec ?? {}
  if (state === 'done')
    return { isRunning: true, hasFailed: false, text: `${title}: ${replicas} of ${replicas} pods are ready` }
  const reasons = troubleOf(deployment, pods)
  return { isRunning: false, hasFailed: state === 'failed', text: [`${title}: ${message}`, ...reasons].join('; ') }
}

/** The last line of a container that ended, which names its error. */
async function lastWords(client: KubeClient, { pods }: Seen): Promise<string> {
  const broken = pods.find(({ status }) => status?.containerStatuses?.some(({ restartCount = 0 }) => restartCount > 0))
  if (broken === undefined) return ''
  const { name, namespace = '' } = broken.metadata
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of client.logs({ namespace, name }, { previous: true, tailLines: 5 }))
      text += decoder.decode(chunk, { stream: true })
  } catch {
    // The reason of the pod has to do.
    return ''
  }
  return text.trim() === '' ? '' : `\n  the last lines of pod ${name}:\n${text.trimEnd().replace(/^/gm, '    ')}`
}
