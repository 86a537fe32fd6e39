/** What every hook container is told about its rollout. A variable that is declared already is left alone. */
import type { HookContext } from '../engine/decision.ts'
import type { Container, EnvVar, PodSpec } from '../policy/workload.ts'

export function rolloutEnvironment(namespace: string, { from, to, type }: HookContext): readonly EnvVar[] {
  return [
    ...(from === undefined ? [] : [{ name: 'K8S_ROLLOUT_FROM_OBJECT', value: `${namespace}/${from}` }]),
    { name: 'K8S_ROLLOUT_TO_OBJECT', value: `${namespace}/${to}` },
    { name: 'K8S_ROLLOUT_TYPE', value: type === 'ROLLBACK' ? 'ROLLBACK' : 'ROLLOUT' },
  ]
}

export function openshiftEnvironment(namespace: string, { to }: HookContext): readonly EnvVar[] {
  return [
    { name: 'OPENSHIFT_DEPLOYMENT_NAME', value: to },
    { name: 'OPENSHIFT_DEPLOYMENT_NAMESPACE', value: namespace },
  ]
}

export function withEnvironment(spec: PodSpec, variables: readonly EnvVar[]): PodSpec {
  const extend = (container: Container): Container => ({ ...container, env: merged(container.env ?? [], variables) })
  return {
    ...spec,
    containers: spec.containers.map(extend),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(extend) }),
  }
}

/** Those of `first`, and those of `second` that have no namesake there. */
export function merged(first: readonly EnvVar[], second: readonly EnvVar[]): readonly EnvVar[] {
  const names = new Set(first.map(({ name }) => name))
  return [...first, ...second.filter(({ name }) => !names.has(name))]
}
