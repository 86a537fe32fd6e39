/** What shall go wrong in a simulated rollout, as the command line says it. */

import { CarabinerError } from '../../../runtime/errors.ts'
import { duration } from '../../../sandbox/nodes/simulate/behaviour.ts'

export interface Wishes {
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

export interface WishOptions {
  readonly seed: string
  readonly fail?: readonly string[]
  readonly crashAfter?: string
  readonly neverReady?: boolean
  readonly scale?: readonly string[]
}

export function wishesOf({ seed, fail = [], crashAfter, neverReady = false, scale = [] }: WishOptions): Wishes {
  return {
    seed: wholeNumber('--seed', seed),
    fail: new Set(fail),
    ...(crashAfter === undefined ? {} : { crashAfter: wholeNumber('--crash-after', crashAfter, 1) }),
    neverReady,
    scale: scale.map(scaling),
  }
}

function scaling(text: string): Wishes['scale'][number] {
  const [time = '', replicas = ''] = text.split('=')
  const after = duration(time)
  if (after === undefined || !/^\d{1,4}$/.test(replicas))
    throw new CarabinerError('CRB_USAGE', `--scale ${text}: expected a time and a number of pods, for example 30s=6`)
  return { after, replicas: Number(replicas) }
}

function wholeNumber(flag: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  const from = least === 0 ? '' : ` from ${least} on`
  throw new CarabinerError('CRB_USAGE', `${flag} ${text}: expected a whole number${from}`)
}
