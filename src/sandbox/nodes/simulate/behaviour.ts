/**
 * How a pretended container behaves: annotations of its pod, a script of the caller, or nothing at all.
 */
import type { Container, Pod } from '../../kinds/pod.ts'

/** Times are milliseconds. */
export interface Behaviour {
  /** From the pod's arrival to the container's start, as an image pull takes time. */
  readonly startDelay: number
  /** From start to ready; undefined: never ready. */
  readonly readyDelay: number | undefined
  /** From ready to not ready any more; undefined: stays ready. */
  readonly unreadyAfter: number | undefined
  /** From start to exit; undefined: runs until stopped. */
  readonly runFor: number | undefined
  readonly exitCode: number
  /** From the request to stop to the exit. Longer than the grace period: killed, exit code 137. */
  readonly stopDelay: number
  /** The image can never be pulled. */
  readonly imageMissing: boolean
  /** Lines written at the start. */
  readonly log: readonly string[]
}

/** Tells how a container behaves; what it leaves out comes from annotations and defaults. */
export type Script = (pod: Pod, container: Container, attempt: number) => Partial<Behaviour> | undefined

export interface Defaults {
  readonly startDelay: number
  readonly readyDelay: number
  /** For containers that are expected to end. */
  readonly runFor: number
  readonly stopDelay: number
}

export const annotationPrefix = 'sandbox.carabiner.dev/'

/** Milliseconds of `90`, `250ms`, `1.5s`, `2m`, `1h30m`; undefined when it is none of these. */
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

/** The annotation for this container (`web.exit-code`) or for all (`exit-code`); of a list, the entry of the attempt, the last repeated. */
function annotation(pod: Pod, container: Container, name: string, attempt: number): string | undefined {
  const all = pod.metadata.annotations ?? {}
  const text = all[`${annotationPrefix}${container.name}.${name}`] ?? all[`${annotationPrefix}${name}`]
  if (text === undefined || name === 'log') return text
  const values = text.split(',')
  return (values[attempt] ?? values.at(-1))?.trim()
}

/** Containers end by themselves when their pod is not meant to run for ever. */
function endsByItself(pod: Pod, container: Container): boolean {
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
  const ends = endsByItself(pod, container) || text('exit-code') !== undefined
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
