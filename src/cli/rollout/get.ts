/** `carabiner rollout get`: a policy as a tree of revisions, pods and hooks; `-w` follows it. */
import { Command } from 'commander'
import { createReflector, labelSelectorText, type ResourceType } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { policyLabel, policyType } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions } from '../place.ts'
import { Picture } from '../terminal/picture.ts'
import { adviceFor, adviceText } from './advice.ts'
import { type Detail, detailOf } from './detail/detail.ts'
import { factLines } from './facts.ts'
import { findOnly, findPolicy, referenceHelp } from './policies.ts'
import { treeText } from './tree.ts'

interface GetOptions extends PlaceOptions {
  readonly watch?: boolean
  readonly output?: string
}

/** A rollout changes many objects in a moment; they are read at most this often. */
const pauseMs = 500
/** The pods of a hook's Job have no label of the policy: while a hook runs, they are read again after this time. */
const refreshMs = 2000
/** Ages go on although nothing changes. */
const tickMs = 1000

export function getCommand(context: CliContext): Command {
  const get = new Command('get')
    .summary('Show a policy with its revisions, pods and hooks as a tree')
    .description(
      'Shows a policy and the tree of its revisions, their pods and the hooks of the last rollout. With -w the tree is drawn again with every change, until interrupted; where the output is not a terminal, changed lines are printed.',
    )
    .argument('[policy]', `${referenceHelp}; not needed when there is only one`)
    .option('-w, --watch', 'follow it until interrupted')
    .option('-o, --output <format>', 'wide: no column is shortened')
  return placeOptions(get).action(async (reference: string | undefined, options: GetOptions) => {
    const { output, watch = false } = options
    if (output !== undefined && output !== 'wide')
      throw new CarabinerError('CRB_USAGE', `-o ${output}: expected wide`, {
        remedy: 'For programs, `carabiner rollout status NAME -o json` has the same facts.',
      })
    const shown = output === 'wide' ? { ...context.stdout, limit: Number.POSITIVE_INFINITY } : context.stdout
    const wanted = { ...context, stdout: shown }
    await inCluster(context, options, async (place) => {
      const policy = await findOnly(place, reference)
      const detail = await detailOf(place, policy)
      if (watch) await followTree(wanted, place, detail)
      else context.stdout.write(treePage(wanted, detail))
    })
  })
}

export function treePage(context: Pick<CliContext, 'programName' | 'stdout' | 'runtime'>, detail: Detail): string {
  const now = context.runtime.clock.now()
  const { stdout } = context
  const advice = adviceText('What to do', adviceFor(detail), context)
  return `${factLines(detail, now, context)}\n${treeText(detail, now, stdout)}${advice}`
}

/** Until interrupted, or until the policy is deleted. */
export async function followTree(context: CliContext, place: Place, first: Detail): Promise<void> {
  const { runtime, signal } = context
  const { name } = first.policy.metadata
  const show = context.stdout.isTerminal ? drawn(context) : printed(context)
  show(first)
  const over = new AbortController()
  const ending = AbortSignal.any([signal, over.signal])
  let isChanged = false
  const hears = (type: ResourceType, which: { fieldSelector?: string; labelSelector?: string }) => {
    const reflector = createReflector(place.client.of(type), runtime, {
      ...{ namespace: place.namespace, ...which },
      project: (object) => object.metadata.resourceVersion,
    })
    reflector.cache.subscribe(() => {
      isChanged = true
    })
    return reflector.run(AbortSignal.any([ending]))
  }
  const watches = [
    hears(policyType, { fieldSelector: `metadata.name=${name}` }),
    hears(resources.pods, { labelSelector: `${policyLabel}=${name}` }),
    ...(first.workload === undefined
      ? []
      : [hears(resources.pods, { labelSelector: labelSelectorText(first.workload.spec.selector) })]),
  ]
  const unmute = context.stdout.isTerminal ? context.muteKeys?.() : undefined
  try {
    let detail = first
    for (let passed = 0; !ending.aborted; passed += pauseMs) {
      await runtime.clock.sleep(pauseMs, ending).catch(() => undefined)
      if (ending.aborted) break
      const isDue = isChanged || (passed % refreshMs === 0 && hasRunningHook(detail))
      isChanged = false
      if (isDue) detail = await detailOf(place, await findPolicy(place, name))
      if (isDue || (context.stdout.isTerminal && passed % tickMs === 0)) show(detail)
    }
  } finally {
    unmute?.()
    over.abort()
    await Promise.all(watches)
  }
}

function hasRunningHook({ policy }: Detail): boolean {
  return policy.status?.rollout?.hooks.some(({ state }) => state === 'Running') ?? false
}

function drawn(context: CliContext): (detail: Detail) => void {
  const { stdout } = context
  const picture = new Picture(stdout)
  // The last column of a terminal stays free, where the cursor would wrap.
  const narrow = () => ({ ...context, stdout: { ...stdout, limit: (stdout.limit ?? stdout.columns) - 1 } })
  return (detail) => picture.draw(treePage(narrow(), detail).trimEnd().split('\n'))
}

/** The tree, then each line of it that is new: ages alone are no news. */
function printed(context: CliContext): (detail: Detail) => void {
  let known: ReadonlySet<string> | undefined
  return (detail) => {
    const lines = treeText(detail, context.runtime.clock.now(), context.stdout).trimEnd().split('\n')
    const news = new Map(lines.map((line) => [timeless(line), line]))
    context.stdout.write(
      [...news].map(([key, line]) => (known === undefined || !known.has(key) ? `${line}\n` : '')).join(''),
    )
    known = new Set(news.keys())
  }
}

/** Without ages, durations and the lines of the tree. */
function timeless(line: string): string {
  return line
    .replace(/^\W*/, '')
    .replace(/\b\d+(?:\.\d+)?(?:[smhd]\b| (?:s|min|h)\b)/g, '')
    .replace(/\s+/g, ' ')
}
