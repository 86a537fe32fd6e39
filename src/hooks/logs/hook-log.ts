/**
 * The last words of a hook: the end of what its pods wrote, read before they are gone, without the secrets they were given. What cannot be
 * read in time is not waited for: a node that does not answer must not hold a rollout.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { isNotFound, unless } from '../../kube/errors.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type LogSource, logSourceOf, type PodForLogs } from './log-source.ts'
import { secretValues, withoutSecrets } from './secrets.ts'

/** The Job or pod that carried the hook out. */
export interface HookCarrier {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** The names of its pods, where somebody knows them. */
  readonly pods?: readonly string[]
  /** Its only pod, where it succeeded: what became of its containers does not have to be asked. */
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

interface Ending {
  readonly exitCode?: number
  readonly reason?: string
  readonly message?: string
}

interface ContainerStatus {
  readonly name: string
  readonly state?: { readonly waiting?: Ending; readonly terminated?: Ending }
}

/** Enough for a stack trace, small enough for thirty of them in one object. */
const mostBytes = 16 * 1024
const mostLines = 1000
const mostPods = 3
const patience = 3000

/** Undefined when there is nothing to be read, or not before the signal. */
export async function readHookLog(
  client: KubeClient,
  runtime: Runtime,
  carrier: HookCarrier,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const over = new AbortController()
  const giveUp = () => over.abort(new Error('the log did not come in time'))
  const timer = runtime.clock.after(patience, giveUp)
  if (signal?.aborted === true) giveUp()
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    const pods = await witnesses(client, carrier, over.signal)
    const names = new Set(pods.flatMap(({ secrets }) => secrets))
    const values = await secretValues(client, carrier.namespace, [...names], over.signal).catch(() => undefined)
    if (values === undefined) return 'not kept: its secrets cannot be read, so that they could not be taken out of it\n'
    const texts: string[] = []
    const { namespace } = carrier
    for (const pod of pods) texts.push(await podLog(client, namespace, pod, pods.length > 1, over.signal))
    const whole = withoutSecrets(texts.join(''), values)
    return whole === '' ? undefined : endOf(whole)
  } catch (error) {
    runtime.log.debug('log of a hook not read', { ...carrier, error })
    return undefined
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', giveUp)
  }
}

interface Witness extends LogSource {
  readonly status?: PodStatus | undefined
}

async function witnesses(client: KubeClient, carrier: HookCarrier, signal: AbortSignal): Promise<readonly Witness[]> {
  if (carrier.logSource !== undefined) return [carrier.logSource]
  const pods = (await podsOf(client, carrier, signal)).slice(-mostPods)
  return pods.map((pod) => ({ ...logSourceOf(pod), status: pod.status }))
}

/** Oldest first. A Job may have had several. */
export async function podsOf(client: KubeClient, carrier: HookCarrier, signal?: AbortSignal): Promise<readonly Pod[]> {
  const { kind, namespace, name, pods: known = [] } = carrier
  const pods = client.of<Pod>(resources.pods)
  const within = { namespace, ...(signal === undefined ? {} : { signal }) }
  if (kind !== 'Job') return [await pods.get(name, within)]
  const [only, ...others] = known
  // One is cheaper to get than to look for; of several, those whose end nobody has told us of are missing here.
  const one =
    only === undefined || others.length > 0 ? undefined : await pods.get(only, within).catch(unless(isNotFound))
  const items =
    one !== undefined
      ? [one]
      : (await pods.list({ ...within, labelSelector: `batch.kubernetes.io/job-name=${name}` })).items
  return items.toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)))
}

async function podLog(
  client: KubeClient,
  namespace: string,
  pod: Witness,
  isOneOfMany: boolean,
  signal: AbortSignal,
): Promise<string> {
  const { name, containers } = pod
  let text = ''
  for (const container of containers) {
    const said = await readAll(client.logs({ namespace, name }, { container, tailLines: mostLines, signal }))
    if (said === '') {
      text += silence(pod, container)
      continue
    }
    if (isOneOfMany || containers.length > 1) text += `--> ${name} ${container}\n`
    text += said.endsWith('\n') ? said : `${said}\n`
  }
  return text
}

/** Why a container that failed said nothing: its program or its image may not be there. */
function silence({ status = {} }: Witness, container: string): string {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  const { waiting, terminated } = all.find(({ name }) => name === container)?.state ?? {}
  const { exitCode = 0, reason, message } = terminated ?? waiting ?? {}
  if (reason === undefined || reason === 'PodInitializing' || (terminated !== undefined && exitCode === 0)) return ''
  const code = terminated === undefined ? '' : `, exit code ${exitCode}`
  return `(container ${container} said nothing: ${reason}${code}${message === undefined ? '' : `, ${message}`})\n`
}

/** A container that never started has no log, which is no reason to lose those of the others. */
async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of chunks) text = (text + decoder.decode(chunk, { stream: true })).slice(-4 * mostBytes)
  } catch {
    return text
  }
  return text
}

function endOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= mostBytes) return text
  const end = new TextDecoder().decode(bytes.slice(-mostBytes))
  return `… ${bytes.length - mostBytes} bytes before this are not kept\n${end.slice(end.indexOf('\n') + 1)}`
}

function ageOf({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? ''
}
