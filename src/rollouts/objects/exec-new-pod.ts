/**
 * A pod that runs a command in a container of the workload's template: its image, environment, resources and rights, and of its volumes
 * those that are named. Unlike its model it also takes over service account, envFrom and tolerations.
 */
import type { ExecNewPod } from '../policy/types.ts'
import type { Container, PodSpec, PodTemplate } from '../policy/workload.ts'
import { merged } from './environment.ts'

const ofContainer = ['image', 'imagePullPolicy', 'workingDir', 'envFrom', 'resources', 'securityContext'] as const
const ofPod = [
  'serviceAccountName',
  'securityContext',
  'nodeSelector',
  'imagePullSecrets',
  'tolerations',
  'affinity',
  'priorityClassName',
  'hostAliases',
] as const

/** Undefined when the template has no such container. */
export function podOf(
  { spec }: PodTemplate,
  { containerName, command, env = [], volumes = [] }: ExecNewPod,
): PodSpec | undefined {
  const base = spec.containers.find(({ name }) => name === containerName)
  if (base === undefined) return undefined
  const wanted = new Set(volumes)
  const mounts = ((base['volumeMounts'] ?? []) as readonly { name: string }[]).filter(({ name }) => wanted.has(name))
  const container: Container = {
    ...pick(base, ofContainer),
    name: 'lifecycle',
    command,
    env: merged(env, base.env ?? []),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  }
  const kept = (spec.volumes ?? []).filter(({ name }) => wanted.has(name))
  return {
    ...pick(spec, ofPod),
    restartPolicy: 'Never',
    containers: [container],
    ...(kept.length === 0 ? {} : { volumes: kept }),
  }
}

function pick(source: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]))
}
