/**
 * The binding contexts of a run without a cluster: created from files by the code of the operator, including jq filters.
 */
import {
  bindingContexts,
  type Cause,
  type Hook,
  type KubernetesBinding,
  projection,
  type SeenObject,
  Snapshots,
  textOf,
} from '../../../addons/scripts/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import { parseManifests, parseYaml } from '../../../kube/manifest/index.ts'
import { CarabinerError, type Runtime } from '../../../runtime/index.ts'
import type { Trigger } from './trigger.ts'

type World = Pick<Runtime, 'files' | 'clock'>

/** Returns JSON text. `objects` is a file with the other objects of the cluster, for Synchronization and snapshots. */
export async function contextsOf(
  world: World,
  hook: Hook,
  trigger: Trigger,
  objects: string | undefined,
): Promise<string> {
  if (trigger.kind === 'context') return given(await world.files.readText(trigger.file), trigger.file)
  const others = objects === undefined ? [] : parseManifests(await world.files.readText(objects), objects)
  const { cause, known } =
    trigger.kind === 'event' ? await eventOf(world, hook, trigger, others) : { cause: trigger, known: others }
  const source = (binding: KubernetesBinding) => {
    const seen = known.filter((object) => isOfKind(object, binding)).map((object) => see(world, hook, binding, object))
    const sorted = seen.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    return { blocks: [{ keys: sorted.map(({ key }) => key) }], objectsOf: () => sorted }
  }
  return textOf(bindingContexts(hook, [cause], { snapshots: new Snapshots(), monitorOf: source }))
}

function given(text: string, file: string): string {
  const contexts = parseYaml(text, file)
  if (Array.isArray(contexts)) return JSON.stringify(contexts)
  throw new CarabinerError('CRB_USAGE', `${file}: must contain an array of binding contexts`, {
    remedy: 'Put a single context between [ and ]: a hook always receives an array.',
  })
}

async function objectOf({ files }: World, file: string): Promise<KubeObject> {
  const [object, ...others] = parseManifests(await files.readText(file), file)
  if (object !== undefined && others.length === 0) return object
  const count = object === undefined ? 'none' : others.length + 1
  throw new CarabinerError('CRB_USAGE', `${file}: must contain one object, not ${count}`)
}

/** The event and the objects of the cluster after it. */
async function eventOf(
  world: World,
  hook: Hook,
  { binding, watchEvent, file }: Extract<Trigger, { kind: 'event' }>,
  before: readonly KubeObject[],
): Promise<{ readonly cause: Cause; readonly known: readonly KubeObject[] }> {
  const object = await objectOf(world, file)
  const seen = see(world, hook, binding, object)
  const others = before.filter((other) => other.kind !== object.kind || keyOf(other) !== seen.key)
  return {
    cause: { kind: 'event', binding, event: { watchEvent, kind: object.kind, seen } },
    known: watchEvent === 'Deleted' ? others : [...others, object],
  }
}

function keyOf({ metadata: { name, namespace } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

function see({ clock }: World, hook: Hook, binding: KubernetesBinding, object: KubeObject): SeenObject {
  const { jqFilter, keepFullObjectsInMemory } = binding
  const filters = jqFilter === undefined ? [] : [{ program: jqFilter, needsResult: true }]
  const kept = projection({ filters, isWhole: keepFullObjectsInMemory }, clock, {
    failed: (_, __, cause) => {
      throw new CarabinerError(
        'CRB_HOOK_INVALID',
        `hook ${hook.name}, binding ${binding.name}: jqFilter fails for ${object.kind} ${keyOf(object)}`,
        { cause },
      )
    },
    took: () => {},
  })(object)
  return { key: keyOf(object), result: kept.results[0], whole: kept.whole }
}

/** Matches the kind or the plural; short names are known only in a cluster. */
function isOfKind({ apiVersion, kind }: KubeObject, binding: KubernetesBinding): boolean {
  if (binding.apiVersion !== undefined && binding.apiVersion !== apiVersion) return false
  const [wanted, own] = [binding.kind.toLowerCase(), kind.toLowerCase()]
  return [own, `${own}s`, `${own}es`, own.replace(/y$/, 'ies')].includes(wanted)
}
