/** Which runs a command is about. */
import { parseDuration } from '../../cron/index.ts'
import type { RunRecord } from '../../hooks/index.ts'
import { CarabinerError } from '../../runtime/index.ts'

export interface FilterOptions {
  readonly surface?: string
  readonly hook?: string
  readonly subject?: string
  readonly failed?: boolean
  readonly since?: string
}

export const surfaces = ['rollouts', 'addons', 'deployers'] as const

export function readFilter({ hook, subject, failed, since }: FilterOptions, now: number): (run: RunRecord) => boolean {
  const after = since === undefined ? undefined : new Date(now - readSince(since)).toISOString()
  const wanted = subject?.toLowerCase()
  return (run) =>
    (hook === undefined || isHook(run.hook, hook)) &&
    (wanted === undefined || namesOf(run).includes(wanted)) &&
    (failed !== true || run.outcome === 'failed') &&
    (after === undefined || run.endedAt === undefined || run.endedAt >= after)
}

/** The hooks of scripts are paths: the file name alone is enough. */
function isHook(name: string, wanted: string): boolean {
  return name === wanted || name.endsWith(`/${wanted}`)
}

/** `web`, `Deployment/web`, `shop/web` and `Deployment/shop/web` mean the same subject. */
function namesOf({ subject: { kind, namespace, name } }: RunRecord): readonly string[] {
  return [name, `${kind}/${name}`, `${namespace}/${name}`, `${kind}/${namespace}/${name}`].map((one) =>
    one.toLowerCase(),
  )
}

function readSince(text: string): number {
  const duration = parseDuration(text)
  if (duration !== undefined && duration > 0) return duration
  throw new CarabinerError('CRB_USAGE', `--since ${text}: expected a duration such as 10m or 2h`)
}
