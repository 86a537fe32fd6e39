/**
 * `carabiner rollout watch`: a rollout as it happens. On a terminal one picture that is drawn again with every change; elsewhere a plain line
 * for each thing that happened.
 */
import { Command } from 'commander'
import { createReflector, labelSelectorText, type ResourceType } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { policyType, type RolloutPolicy, type Workload } from '../../rollouts/index.ts'
import { CarabinerError, type Runtime, type Timer } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes, type Outcome } from '../outcome.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { outcomeOf } from './outcome.ts'
import { findOnly, findTarget, referenceHelp, workloadTypes } from './policies.ts'
import { Timeline } from './timeline/timeline.ts'
import { type Scene, type View, viewOf } from './view.ts'

/** Time goes on although nothing changes. */
const tick = 1000
/** Several watches tell of one thing; what the first one says alone may never have been so. */
const settling = 100

export function watchCommand(context: CliContext): Command {
  const watch = new Command('watch')
    .summary('See a rollout as it happens')
    .description(
      'Shows a rollout as it happens, until it has ended. Without one under way it waits for the next. Exits with 0 when it is complete, 1 when it is aborted or stalled, 3 when interrupted.',
    )
    .argument('[policy]', `${referenceHelp}; not needed when there is only one`)
    .option('--forever', 'go on with the next rollout, until interrupted')
  return placeOptions(watch).action(
    async (reference: string | undefined, options: PlaceOptions & { forever?: boolean }) => {
      await inCluster(context, options, async (place) => {
        const policy = await findOnly(place, reference)
        const workload = await findTarget(place, policy)
        if (workload === undefined) {
          const { kind, name } = policy.spec.targetRef
          throw new CarabinerError('CRB_USAGE', `there is no ${kind} ${place.namespace}/${name}`)
        }
        if (policy.status?.rollout !== undefined && outcomeOf(policy, workload) === 'settled')
          context.stderr.write('no rollout is under way; waits for the next one\n')
        const outcome = await watchRollout(
          context,
          place,
          { policy, workload },
          { isEndless: options.forever === true },
        )
        context.exit(exitCodes[outcome])
      })
    },
  )
}

export async function watchRollout(
  context: Pick<CliContext, 'runtime' | 'stdout' | 'signal'>,
  place: Place,
  first: Pick<Scene, 'policy' | 'workload'>,
  { isEndless = false }: { readonly isEndless?: boolean } = {},
): Promise<Outcome> {
  const { runtime, stdout, signal } = context
  const { clock } = runtime
  const done = new AbortController()
  const begun = beginOf(first.policy) ?? clock.now()
  let scene: Scene = {
    ...first,
    outcome: outcomeOf(first.policy, first.workload),
    timeline: new Timeline(begun),
    begun,
  }
  // Where no rollout is under way, the next one is waited for.
  let hasSeenMove = scene.outcome !== 'settled'
  let hasFailed = isAborted(first.policy)
  const view: View = viewOf(stdout)
  let knowsPods = false
  let drawing: Timer | undefined
  const draw = () => {
    drawing = undefined
    if (knowsPods) view.show(scene, clock.now())
  }
  const drawSoon = () => {
    drawing ??= clock.after(settling, draw)
  }
  const show = (change: Partial<Scene>) => {
    const id = scene.policy.status?.rollout?.id
    scene = { ...scene, ...change }
    const next = scene.policy.status?.rollout?.id
    if (next !== id && next !== undefined) {
      const begins = beginOf(scene.policy) ?? clock.now()
      scene = { ...scene, begun: begins, timeline: scene.timeline.from(begins) }
    }
    scene.timeline.policy(scene.policy, clock.now())
    scene.timeline.workload(scene.workload, clock.now())
    scene = { ...scene, outcome: outcomeOf(scene.policy, scene.workload) }
    if (scene.outcome === 'going') hasSeenMove = true
    drawSoon()
    if (isAborted(scene.policy)) hasFailed = true
    // An end without pods would be a picture of nothing.
    if (knowsPods && hasSeenMove && isOver(scene) && !isEndless) done.abort()
  }
  const over = AbortSignal.any([signal, done.signal])
  let gone: string | undefined
  const follow = <T extends RolloutPolicy | Workload>(type: ResourceType, name: string, seen: (object: T) => void) => {
    const end = () => {
      gone = `${type.kind} ${place.namespace}/${name}`
      done.abort()
    }
    return followOne<T>(place, runtime, type, name, { seen, end }, over)
  }
  const { kind, name } = first.policy.spec.targetRef
  const own = { namespace: place.namespace, labelSelector: labelSelectorText(first.workload.spec.selector) }
  const pods = createReflector(place.client.of(resources.pods), runtime, { ...own, project: (object) => object })
  pods.cache.subscribe((change) => {
    const isGone = change.type === 'deleted'
    scene.timeline.pod(isGone ? change.previous : change.value, isGone, clock.now())
    drawSoon()
  })
  void pods.cache.synced.then(() => {
    knowsPods = true
    // What was counted before all pods were known was never so.
    scene = { ...scene, timeline: scene.timeline.from(scene.begun) }
    show({})
  })
  const ticking = keepTicking(runtime, drawSoon, over)
  await Promise.all([
    follow<RolloutPolicy>(policyType, first.policy.metadata.name, (policy) => show({ policy })),
    follow<Workload>(workloadTypes[kind], name, (workload) => show({ workload })),
    pods.run(over),
    ticking,
  ])
  drawing?.cancel()
  // The engine may have seen the last pods before this watch told of them. A client that may not read it shows what it has.
  if (done.signal.aborted && gone === undefined)
    await place.client
      .of(resources.pods)
      .list({ ...own, signal })
      .then(({ items }) => scene.timeline.allPods(items, clock.now()))
      .catch(() => undefined)
  view.end(scene, clock.now())
  if (gone !== undefined)
    throw new CarabinerError('CRB_USAGE', `${gone} was deleted meanwhile`, {
      remedy: 'There is nothing left to watch.',
    })
  // An interrupted client has not seen the end.
  if (!isEndless && !done.signal.aborted) return 'going'
  return hasFailed && scene.outcome === 'settled' ? 'failed' : scene.outcome
}

function isAborted({ status }: RolloutPolicy): boolean {
  return status?.rollout?.phase === 'Aborted'
}

/** What is aborted still has hooks to run for that, and may be taken back. */
function isOver({ outcome, policy: { status } }: Scene): boolean {
  const ledger = status?.rollout
  return outcome !== 'going' && (ledger === undefined || (ledger.endedAt !== undefined && ledger.undo === undefined))
}

async function followOne<T extends RolloutPolicy | Workload>(
  { client, namespace }: Place,
  runtime: Runtime,
  type: ResourceType,
  name: string,
  { seen, end }: { seen: (object: T) => void; end: () => void },
  signal: AbortSignal,
): Promise<void> {
  const reflector = createReflector<T>(client.of(type), runtime, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    project: (object) => object as T,
  })
  reflector.cache.subscribe((change) => {
    if (change.type === 'deleted') end()
    else seen(change.value)
  })
  await reflector.run(AbortSignal.any([signal]))
}

async function keepTicking({ clock }: Runtime, show: () => unknown, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(tick, signal).catch(() => undefined)
    if (!signal.aborted) show()
  }
}

function beginOf({ status }: RolloutPolicy): number | undefined {
  const started = status?.rollout?.startedAt
  return started === undefined ? undefined : Date.parse(started)
}
