/** Resolves the snapshots of a binding: those it names, and those of the `kubernetes` bindings in its group. */
import type { Findings } from './findings.ts'
import { shown, suggest } from './findings.ts'
import type { HookConfig, KubernetesBinding } from './types.ts'

interface Reader {
  readonly includeSnapshotsFrom: readonly string[]
  readonly group?: string
}

export function resolveSnapshots(config: HookConfig, findings: Findings): HookConfig {
  const resolve = <T extends Reader>(field: string, bindings: readonly T[]): readonly T[] =>
    bindings.map((binding, index) => {
      checkNames(`${field}[${index}].includeSnapshotsFrom`, binding.includeSnapshotsFrom, config.kubernetes, findings)
      const grouped = config.kubernetes.filter(({ group }) => group !== undefined && group === binding.group)
      const names = new Set([...binding.includeSnapshotsFrom, ...grouped.map(({ name }) => name)])
      return { ...binding, includeSnapshotsFrom: [...names] }
    })
  return {
    ...config,
    schedules: resolve('schedule', config.schedules),
    kubernetes: resolve('kubernetes', config.kubernetes),
    validating: resolve('kubernetesValidating', config.validating),
    mutating: resolve('kubernetesMutating', config.mutating),
    conversions: resolve('kubernetesCustomResourceConversion', config.conversions),
  }
}

function checkNames(
  field: string,
  names: readonly string[],
  bindings: readonly KubernetesBinding[],
  findings: Findings,
): void {
  const known = bindings.map(({ name }) => name)
  for (const name of names) {
    const count = known.filter((one) => one === name).length
    const suggestion = suggest(name, known)
    const hint =
      suggestion === undefined ? `known are ${[...new Set(known)].join(', ') || 'none'}` : `did you mean ${suggestion}?`
    if (count === 0) findings.error(field, `no kubernetes binding is called ${shown(name)} (${hint})`)
    if (count > 1)
      findings.error(field, `${count} kubernetes bindings are called ${shown(name)}; give them different names`)
  }
}
