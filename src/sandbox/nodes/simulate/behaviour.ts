/** The behaviour of a simulated container: from the script of the caller, annotations of its pod, or defaults. */
import type { Container, Pod } from '../../../kube/kinds/index.ts'

/** All times in milliseconds. */
export interface Behaviour {
  /** From the assignment of the pod to the start of the container, like an image pull. */
  readonly startDelay: number
  /** From start to ready; undefined: never ready. */
  readonly readyDelay: number | undefined
  /** From ready to unready; undefined: stays ready. */
  readonly unreadyAfter: number | undefined
  /** From start to exit; undefined: runs until stopped. */
  readonly runFor: number | undefined
  readonly exitCode: number
  /** From the request to stop to the exit. Longer than the grace period: killed, exit code 137. */
  readonly stopDelay: number
  /** The image cannot be pulled. */
  readonly imageMissing: boolean
  /** Lines written at the start. */
  readonly log: readonly string[]
}

/** Returns the behaviour of a container; omitted fields come from annotations and defaults. */
export type Script = (pod: Pod, container: Container, attempt: number) => Partial<Behaviour> | undefined

export interface Defaults {
  readonly startDelay: number
  readonly readyDelay: number
  /** For containers that are expected to exit. */
  readonly runFor: number
  readonly stopDelay: number
}

export const annotationPrefix = 'sandbox.carabiner.dev/'

/** Parses `90`, `250ms`, `1.5s`, `2m`, `1h30m` to milliseconds; undefined for other text. */
export function duration(text: string): number | undefined {
  const plain = Number(text)
  if (text.trim() !== '' && Number.isFinite(plain)) return plain * 1000
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    sum += Number(amount) * (units[unit] ?? 0)
  return sum
}

/**
 * The annotation for this container (`web.exit-code`) or for all (`exit-code`). Of a list, the entry of the attempt is
 * used; the last one repeats.
 */
function annotation(pod: Pod, container: Container, name: string, attempt: number): string | undefined {
  const all = pod.metadata.annotations ?? {}
  const text = all[`${annotationPrefix}${container.name}.${name}`] ?? all[`${annotationPrefix}${name}`]
  if (text === undefined || name === 'log') return text
  const values = text.split(',')
  return (values[attempt] ?? values.at(-1))?.trim()
}

/** Init containers, and containers of pods that are not restarted always, exit by themselves. */
function exitsByItself(pod: Pod, container: Container): boolean {
  const init = (pod.spec.initContainers ?? []).some(({ name }) => name === container.name)
  if (init) return container.restartPolicy !== 'Always'
  return pod.spec.restartPolicy === 'Never' || pod.spec.restartPolicy === 'OnFailure'
}

export function behaviourOf(
  pod: Pod,
  container: Container,
  attempt: number,
  defaults: Defaults,
  script?: Script,
): Behaviour {
  const text = (name: string) => annotation(pod, container, name, attempt)
  const time = (name: string): number | undefined => {
    const value = text(name)
    return value === undefined ? undefined : duration(value)
  }
  const exitCode = Number(text('exit-code') ?? 0) || 0
  const ends = exitsByItself(pod, container) || text('exit-code') !== undefined
  const log = text('log')
  return {
    startDelay: time('start-delay') ?? (attempt === 0 ? defaults.startDelay : 0),
    readyDelay: text('ready-delay') === 'never' ? undefined : (time('ready-delay') ?? defaults.readyDelay),
    unreadyAfter: time('unready-after'),
    runFor: text('run-for') === 'forever' ? undefined : (time('run-for') ?? (ends ? defaults.runFor : undefined)),
    exitCode,
    stopDelay: time('stop-delay') ?? defaults.stopDelay,
    imageMissing: text('image') === 'missing',
    log: log === undefined ? [] : log.split('\n'),
    ...script?.(pod, container, attempt),
  }
}
