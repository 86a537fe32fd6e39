/** What every hook container is told about its rollout. A variable that is declared already is left alone. */
import { isJsonObject } from '../../runtime/index.ts'
import type { Container, EnvVar, PodSpec } from '../policy/workload.ts'
import type { HookContext } from './hook-context.ts'

export function rolloutEnvironment(namespace: string, { from, to, type }: HookContext): readonly EnvVar[] {
  return [
    ...(from === undefined ? [] : [{ name: 'K8S_ROLLOUT_FROM_OBJECT', value: `${namespace}/${from}` }]),
    { name: 'K8S_ROLLOUT_TO_OBJECT', value: `${namespace}/${to}` },
    { name: 'K8S_ROLLOUT_TYPE', value: type === 'ROLLBACK' || type === 'UNDO' ? 'ROLLBACK' : 'ROLLOUT' },
  ]
}

export function openshiftEnvironment(namespace: string, { to }: HookContext): readonly EnvVar[] {
  return [
    { name: 'OPENSHIFT_DEPLOYMENT_NAME', value: to },
    { name: 'OPENSHIFT_DEPLOYMENT_NAMESPACE', value: namespace },
  ]
}

export function withEnvironment(spec: PodSpec, variables: readonly EnvVar[]): PodSpec {
  return changedContainers(spec, (container) =>
    isList(container.env ?? []) ? { ...container, env: merged(container.env ?? [], variables) } : container,
  )
}

/** A Job's template is not validated here: a value that is no list of containers stays as it is, and the API server refuses it. */
export function changedContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  const changed = (name: 'containers' | 'initContainers') =>
    isList(spec[name]) ? { [name]: spec[name].map(change) } : {}
  return { ...spec, ...changed('containers'), ...changed('initContainers') }
}

export function isList<T>(list: readonly T[] | undefined): list is readonly T[] {
  return Array.isArray(list) && list.every(isJsonObject)
}

/** Those of `first`, and those of `second` that have no namesake there. */
export function merged(first: readonly EnvVar[], second: readonly EnvVar[]): readonly EnvVar[] {
  const names = new Set(first.map(({ name }) => name))
  return [...first, ...second.filter(({ name }) => !names.has(name))]
}
