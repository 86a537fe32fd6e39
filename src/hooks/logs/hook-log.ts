/**
 * The end of the logs of a hook's pods, read before the pods are deleted, with the values of their Secrets removed. Reading is limited in
 * time: a node that does not respond must not delay a rollout.
 */

import { isNotFound, type KubeClient, type KubeObject, unless } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { append, type Runtime } from '../../runtime/index.ts'
import { type LogSource, logSourceOf, type PodForLogs } from './log-source.ts'
import { secretValues, withoutSecrets } from './secrets.ts'

/** The Job or pod that carried the hook out. */
export interface HookCarrier {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** The names of its pods, where they are known. */
  readonly pods?: readonly string[]
  /** Its only pod, if it succeeded: the status of its containers is not needed. */
  readonly logSource?: LogSource | undefined
}

interface Pod extends KubeObject {
  readonly spec: NonNullable<PodForLogs['spec']>
  readonly status?: PodStatus
}

interface PodStatus {
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

interface ContainerEnd {
  readonly exitCode?: number
  readonly reason?: string
  readonly message?: string
}

interface ContainerStatus {
  readonly name: string
  readonly state?: { readonly waiting?: ContainerEnd; readonly terminated?: ContainerEnd }
}

/** Enough for a stack trace, small enough for thirty of them in one object. */
const maxLogBytes = 16 * 1024
const maxLogLines = 1000
const maxPods = 3
const logReadTimeoutMs = 3000

/** Undefined when there is no output, or when it was not read in time or before the signal aborted. */
export async function readHookLog(
  client: KubeClient,
  runtime: Runtime,
  carrier: HookCarrier,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const over = new AbortController()
  const giveUp = () => over.abort(new Error(`the log was not read within ${logReadTimeoutMs} ms`))
  const timer = runtime.clock.after(logReadTimeoutMs, giveUp)
  if (signal?.aborted === true) giveUp()
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    const pods = await podsWithStatus(client, carrier, over.signal)
    const names = new Set(pods.flatMap(({ secrets }) => secrets))
    const values = await secretValues(client, carrier.namespace, [...names], over.signal).catch(() => undefined)
    if (values === undefined) return 'not kept: the secrets of the pod cannot be read, so they could not be removed\n'
    const { namespace } = carrier
    const logs: Log[] = []
    for (const pod of pods) append(logs, await readPod(client, namespace, pod, over.signal))
    const text = withoutSecrets(joined(logs), values)
    return text === '' ? undefined : endOf(text)
  } catch (error) {
    runtime.log.debug('log of a hook not read', { ...carrier, error })
    return undefined
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', giveUp)
  }
}

interface PodWithStatus extends LogSource {
  readonly status?: PodStatus | undefined
}

async function podsWithStatus(
  client: KubeClient,
  carrier: HookCarrier,
  signal: AbortSignal,
): Promise<readonly PodWithStatus[]> {
  if (carrier.logSource !== undefined) return [carrier.logSource]
  const pods = (await podsOf(client, carrier, signal)).slice(-maxPods)
  return pods.map((pod) => ({ ...logSourceOf(pod), status: pod.status }))
}

/** Oldest first. A Job may have had several. */
export async function podsOf(client: KubeClient, carrier: HookCarrier, signal?: AbortSignal): Promise<readonly Pod[]> {
  const { kind, namespace, name, pods: known = [] } = carrier
  const pods = client.of<Pod>(resources.pods)
  const within = { namespace, ...(signal === undefined ? {} : { signal }) }
  if (kind !== 'Job') return [await pods.get(name, within)]
  const [only, ...others] = known
  // A get is cheaper than a list. Of several pods, the caller may not know all.
  const one =
    only === undefined || others.length > 0 ? undefined : await pods.get(only, within).catch(unless(isNotFound))
  const items =
    one !== undefined
      ? [one]
      : (await pods.list({ ...within, labelSelector: `batch.kubernetes.io/job-name=${name}` })).items
  return items.toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)))
}

interface Log {
  readonly pod: string
  readonly container: string
  readonly text: string
  /** `text` says why there is no output. */
  readonly isEmpty: boolean
  /** Other containers of the pod have logs too. */
  readonly isOneOfMany: boolean
}

async function readPod(
  client: KubeClient,
  namespace: string,
  pod: PodWithStatus,
  signal: AbortSignal,
): Promise<readonly Log[]> {
  const { name, containers } = pod
  const logs: Log[] = []
  for (const container of containers) {
    const output = await readAll(client.logs({ namespace, name }, { container, tailLines: maxLogLines, signal }))
    const isEmpty = output === ''
    const text = isEmpty ? whyEmpty(pod, container) : output
    logs.push({ pod: name, container, text, isEmpty, isOneOfMany: containers.length > 1 })
  }
  return logs
}

/** With a line before each log that names its pod and container, where there are several. */
function joined(logs: readonly Log[]): string {
  const hasSeveralPods = new Set(logs.map(({ pod }) => pod)).size > 1
  return logs
    .map(({ pod, container, text, isEmpty, isOneOfMany }) => {
      if (isEmpty) return text
      const title = hasSeveralPods || isOneOfMany ? `--> ${pod} ${container}\n` : ''
      return `${title}${text}${text.endsWith('\n') ? '' : '\n'}`
    })
    .join('')
}

/** Why a failed container has no output: its program or its image may not exist. */
function whyEmpty({ status = {} }: PodWithStatus, container: string): string {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  const { waiting, terminated } = all.find(({ name }) => name === container)?.state ?? {}
  const { exitCode = 0, reason, message } = terminated ?? waiting ?? {}
  if (reason === undefined || reason === 'PodInitializing' || (terminated !== undefined && exitCode === 0)) return ''
  const code = terminated === undefined ? '' : `, exit code ${exitCode}`
  return `(container ${container} has no output: ${reason}${code}${message === undefined ? '' : `, ${message}`})\n`
}

/** A container that never started has no log; those of the other containers still count. */
async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of chunks) text = (text + decoder.decode(chunk, { stream: true })).slice(-4 * maxLogBytes)
  } catch {
    return text
  }
  return text
}

function endOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxLogBytes) return text
  const end = new TextDecoder().decode(bytes.slice(-maxLogBytes))
  return `… ${bytes.length - maxLogBytes} bytes before this are not kept\n${end.slice(end.indexOf('\n') + 1)}`
}

function ageOf({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? ''
}
