/**
 * Variables in the pods of hooks, such as `$(containers.web.image)`: they follow the new template, so that a hook never runs with the image of
 * an older release. Written and escaped like the variables of Kubernetes, which resolves those that are not ours.
 */
import type { HookAction } from '../policy/compile.ts'
import type { ExecNewPod } from '../policy/types.ts'
import type { Container, EnvVar, PodSpec, PodTemplate } from '../policy/workload.ts'
import { changedContainers, isList } from './environment.ts'
import type { HookContext } from './hook-context.ts'

/** What the variable of a name stands for; undefined for one that is not ours. */
export type Lookup = (name: string) => string | undefined

/** A reference, or two dollar signs, which are an escaped one. */
const reference = /\$\$|\$\(([^)]*)\)/g
const imageOfContainer = /^containers\.([^.]+)\.image$/

export function valuesOf(
  template: PodTemplate,
  { from = '', to, workload }: Pick<HookContext, 'from' | 'to'> & { readonly workload: string },
): Lookup {
  const values = new Map([...imagesOf(template), ['from', from], ['to', to], ['workload.name', workload]])
  return (name) => values.get(name)
}

export function withValues(spec: PodSpec, lookUp: Lookup): PodSpec {
  return changedContainers(spec, (container) => filledContainer(container, lookUp))
}

/** The command and variables of `execNewPod`. What its container declares belongs to the application, and stays as it is. */
export function filledPod(pod: ExecNewPod, template: PodTemplate, lookUp: Lookup): ExecNewPod {
  const { containerName, command, env } = pod
  const base = template.spec.containers.find(({ name }) => name === containerName)
  const { name: _, ...filled } = filledContainer({ name: '', command, ...(env && { env }) }, lookUp, base?.env)
  return { ...pod, ...filled }
}

export interface UnknownVariable {
  readonly written: string
  readonly container: string
}

/** The first reference to the image of a container that the template does not have. */
export function unknownVariable(action: HookAction, template: PodTemplate): UnknownVariable | undefined {
  const images = imagesOf(template)
  const unknown: UnknownVariable[] = []
  const note: Lookup = (name) => {
    const container = images.has(name) ? undefined : imageOfContainer.exec(name)?.[1]
    if (container !== undefined) unknown.push({ written: `$(${name})`, container })
    return undefined
  }
  if (action.kind === 'job') withValues({ ...action.spec.template.spec }, note)
  if (action.kind === 'pod') filledPod(action.pod, template, note)
  return unknown[0]
}

function imagesOf({ spec }: PodTemplate): ReadonlyMap<string, string> {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  const images = containers.map(({ name, image = '' }) => [`containers.${name}.image`, image] as const)
  return new Map(images.filter(([, image]) => image !== ''))
}

/** A variable that the container declares, or is given with `others`, is that of Kubernetes. What is no text is left for the server to refuse. */
function filledContainer(container: Container, lookUp: Lookup, others: readonly EnvVar[] = []): Container {
  const { env } = container
  const variables = isList(env) ? env : []
  const declared = new Set([...variables, ...others].map(({ name }) => name))
  const isOurs: Lookup = (name) => (declared.has(name) ? undefined : lookUp(name))
  const filled = (value: unknown) => (typeof value === 'string' ? filledText(value, isOurs) : value)
  const texts = ['image', 'command', 'args'].flatMap((field) => {
    const value = container[field]
    return value === undefined ? [] : [[field, Array.isArray(value) ? value.map(filled) : filled(value)]]
  })
  const filledEnv = variables.map((one) => (one.value === undefined ? one : { ...one, value: filled(one.value) }))
  return { ...container, ...Object.fromEntries(texts), ...(isList(env) ? { env: filledEnv } : {}) }
}

function filledText(text: string, lookUp: Lookup): string {
  return text.replace(reference, (written, name?: string) => (name === undefined ? written : (lookUp(name) ?? written)))
}
