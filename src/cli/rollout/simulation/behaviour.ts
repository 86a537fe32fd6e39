/**
 * How pods, hooks and services behave in a simulated rollout: they take their time, drawn from the number of the run, and fail when they
 * are chosen to. What a manifest says about it by annotations of the sandbox counts more.
 */
import {
  hookLabel,
  type LifecycleHook,
  type PodTemplate,
  type RolloutPolicy,
  resumed,
  type Workload,
} from '../../../rollouts/index.ts'
import { isJsonObject, type Runtime } from '../../../runtime/index.ts'
import { createSeededRandom } from '../../../runtime/simulated/index.ts'
import { annotationPrefix, type Script } from '../../../sandbox/index.ts'
import type { Subject } from '../subjects.ts'
import type { SimulationSettings } from './settings.ts'

/** On the template that is rolled out. */
export const rolledAnnotation = 'carabiner.dev/simulated'

export function scriptOf({ seed, fail, neverReady }: SimulationSettings): Script {
  return ({ metadata }) => {
    const { name, labels = {}, annotations = {} } = metadata
    const chance = createSeededRandom(seed, name).next()
    const says = (what: string) => `${annotationPrefix}${what}` in annotations
    const hook = labels[hookLabel]
    if (hook !== undefined)
      return {
        ...(says('run-for') ? {} : { runFor: 5000 + Math.round(10_000 * chance) }),
        ...(fail.has(hook) ? { exitCode: 1 } : {}),
      }
    if (neverReady && rolledAnnotation in annotations) return { readyDelay: undefined }
    return says('ready-delay') ? {} : { readyDelay: 1000 + Math.round(4000 * chance) }
  }
}

/** The world of an engine whose calls are answered. */
export function answering(runtime: Runtime, { compiled }: Subject, { fail }: SimulationSettings): Runtime {
  const request: Runtime['http']['request'] = async ({ origin }, { target }) => {
    await runtime.clock.sleep(200)
    const hook = compiled.hooks.find(({ action }) => {
      if (action.kind !== 'http') return false
      const url = new URL(action.http.url)
      return url.origin === origin && url.pathname + url.search === target
    })
    const codes = hook?.action.kind === 'http' ? hook.action.http.expect?.codes : undefined
    return { status: fail.has(hook?.name ?? '') ? 500 : (codes?.[0] ?? 200), headers: {}, body: new Uint8Array() }
  }
  return { ...runtime, http: { request, listen: (...given) => runtime.http.listen(...given) } }
}

/** The policy with hooks that can be told apart by their pods, and that need nothing the simulated cluster does not have. */
export function simulatedPolicy(policy: RolloutPolicy): RolloutPolicy {
  const { lifecycle, lifecycleHooks } = policy.spec
  const marked = <T extends Pick<LifecycleHook, 'jobSpec' | 'http'>>(name: string, hook: T): T => {
    const { jobSpec, http } = hook
    if (http !== undefined) return { ...hook, http: { ...http, headers: [] } }
    if (jobSpec === undefined) return hook
    const template = simulatedTemplate(jobSpec.template)
    const labels = { ...template.metadata?.labels, [hookLabel]: name }
    return { ...hook, jobSpec: { ...jobSpec, template: { ...template, metadata: { ...template.metadata, labels } } } }
  }
  const named = Object.entries(lifecycle ?? {}).map(([name, hook]) => [name, marked(name, hook as LifecycleHook)])
  return {
    ...policy,
    spec: {
      ...policy.spec,
      ...(lifecycle === undefined ? {} : { lifecycle: Object.fromEntries(named) as typeof lifecycle }),
      ...(lifecycleHooks === undefined
        ? {}
        : { lifecycleHooks: lifecycleHooks.map((hook) => marked(hook.name, hook)) }),
    },
  }
}

export function simulatedWorkload(given: Workload): Workload {
  const workload = resumed(given)
  return { ...workload, spec: { ...workload.spec, template: simulatedTemplate(workload.spec.template) } } as Workload
}

/** Nodes, accounts and priorities of the real cluster are not here; whether a pod finds its place is another question. */
const notHere = new Set([
  'serviceAccountName',
  'serviceAccount',
  'nodeSelector',
  'affinity',
  'priorityClassName',
  'runtimeClassName',
])

function simulatedTemplate(template: PodTemplate): PodTemplate {
  // The template of a Job is not validated: it may have no containers.
  const given: unknown = template.spec?.containers
  if (!Array.isArray(given) || !given.every(isJsonObject)) return template
  const spec = Object.fromEntries(Object.entries(template.spec).filter(([name]) => !notHere.has(name)))
  const { containers, initContainers, volumes } = template.spec
  return {
    ...template,
    spec: {
      ...spec,
      containers: containers.map(withoutNeeds),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withoutNeeds) }),
      ...(volumes === undefined ? {} : { volumes: volumes.map(({ name }) => ({ name, emptyDir: {} })) }),
    },
  } as PodTemplate
}

type Containers = PodTemplate['spec']['containers']

/** Without resources, and without ConfigMaps and Secrets, which are not here. */
function withoutNeeds({ resources: _, envFrom: __, env, ...container }: Containers[number]): Containers[number] {
  return env === undefined ? container : { ...container, env: env.filter(({ valueFrom }) => valueFrom === undefined) }
}
