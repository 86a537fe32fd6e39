/** Waits for the end of an item's run, with a progress line that shows its phase. */
import { type DeployItem, isFinal } from '../../deployers/index.ts'
import { createReflector } from '../../kube/index.ts'
import type { CliContext } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import type { Place } from '../place.ts'
import { printableLine } from '../terminal/printable.ts'
import { Progress } from '../terminal/progress.ts'
import { itemsOf, outcomeOf, phaseOf } from './items.ts'

export interface Waited {
  /** Undefined when it is deleted, which is the end of a deletion. */
  readonly item: DeployItem | undefined
  readonly outcome: Outcome
}

/** `limit` in milliseconds; without one until the end or an interruption. */
export async function waitForEnd(
  context: CliContext,
  place: Place,
  before: DeployItem,
  limit: number | undefined,
): Promise<Waited> {
  if (outcomeOf(before) !== 'going') return { item: before, outcome: outcomeOf(before) }
  const { clock } = context.runtime
  const over = new AbortController()
  const timer = limit === undefined ? undefined : clock.after(limit, () => over.abort())
  const progress = new Progress(context.stderr, clock)
  try {
    const signal = AbortSignal.any([over.signal, context.signal])
    return await follow(context, place, before, { progress, signal })
  } finally {
    timer?.cancel()
    progress.stop()
  }
}

async function follow(
  { runtime }: CliContext,
  place: Place,
  before: DeployItem,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<Waited> {
  const { name } = before.metadata
  const done = new AbortController()
  const reflector = createReflector<DeployItem>(itemsOf(place), runtime, {
    namespace: place.namespace,
    fieldSelector: `metadata.name=${name}`,
    project: (object) => object as DeployItem,
  })
  let waited: Waited = { item: before, outcome: 'going' }
  let shown = ''
  const show = (phase: string) => {
    if (phase !== shown) progress.step(printableLine(`${name}: ${phase}`))
    shown = phase
  }
  // The phase is that of the previous run until the new run is picked up.
  show(isFinal(before.status?.phase) ? `${phaseOf(before)} before, to be picked up again` : phaseOf(before))
  reflector.cache.subscribe((change) => {
    if (done.signal.aborted) return
    if (change.type === 'deleted') waited = { item: undefined, outcome: 'settled' }
    else waited = { item: change.value, outcome: outcomeOf(change.value) }
    show(waited.item === undefined ? 'gone' : phaseOf(waited.item))
    if (waited.outcome !== 'going') done.abort()
  })
  // An item that was deleted before the first list gives no event.
  void reflector.cache.synced.then(() => {
    if (reflector.cache.get(`${place.namespace}/${name}`) !== undefined || done.signal.aborted) return
    waited = { item: undefined, outcome: 'settled' }
    done.abort()
  })
  await reflector.run(AbortSignal.any([signal, done.signal]))
  return waited
}
