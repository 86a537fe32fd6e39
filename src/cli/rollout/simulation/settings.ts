/** Which faults a simulated rollout meets, from the command line. */
import { CarabinerError } from '../../../runtime/index.ts'
import { duration } from '../../../sandbox/index.ts'

export interface SimulationSettings {
  readonly seed: number
  /** Names of hooks that fail. */
  readonly fail: ReadonlySet<string>
  /** The engine dies after this many writes. */
  readonly crashAfter?: number
  /** New pods never become ready. */
  readonly neverReady: boolean
  /** Milliseconds after the change of the template, and how many replicas then. */
  readonly scale: readonly { readonly after: number; readonly replicas: number }[]
}

export interface SettingsOptions {
  readonly seed: number
  readonly fail?: readonly string[]
  readonly crashAfter?: number
  readonly neverReady?: boolean
  readonly scale?: readonly string[]
}

export function settingsOf({
  seed,
  fail = [],
  crashAfter,
  neverReady = false,
  scale = [],
}: SettingsOptions): SimulationSettings {
  return {
    seed,
    fail: new Set(fail),
    ...(crashAfter === undefined ? {} : { crashAfter }),
    neverReady,
    scale: scale.map(scaling),
  }
}

function scaling(text: string): SimulationSettings['scale'][number] {
  const [time = '', replicas = ''] = text.split('=')
  const after = duration(time)
  if (after === undefined || !/^\d{1,4}$/.test(replicas))
    throw new CarabinerError('CRB_USAGE', `--scale ${text}: expected a time and a number of pods, for example 30s=6`)
  return { after, replicas: Number(replicas) }
}
