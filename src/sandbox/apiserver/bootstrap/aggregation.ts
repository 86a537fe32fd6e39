/** ClusterRole aggregation: computes the rules of aggregated ClusterRoles from the roles they select. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { type ApiObject, at, withField } from '../object.ts'
import { matchesLabels, requirementsOf } from '../selectors/labels.ts'
import type { Collection } from '../storage/collection.ts'
import { equal } from '../storage/share.ts'

/** Watches the collection of ClusterRoles from now on. */
export function aggregateClusterRoles(roles: Collection): void {
  let busy = false
  roles.follow(({ current, previous }) => {
    // The watch also reports the writes made here. Passes repeat until nothing changes, for chains such as view, edit,
    // admin.
    if (busy || ![current, previous].some((role) => role !== undefined && isAggregation(roles, role.object))) return
    busy = true
    try {
      while (aggregateOnce(roles)) {}
    } finally {
      busy = false
    }
  })
}

const selectorsOf = (role: ApiObject): readonly Json[] | undefined => {
  const selectors = at(role, 'aggregationRule', 'clusterRoleSelectors')
  return Array.isArray(selectors) ? (selectors as readonly Json[]) : undefined
}

/** Whether the role is aggregated or selected by an aggregated one. Most are neither, and start-up creates many. */
function isAggregation(roles: Collection, role: ApiObject): boolean {
  const { labels } = role.metadata
  if (selectorsOf(role) !== undefined) return true
  if (labels === undefined) return false
  for (const [, { object }] of roles.range(''))
    for (const selector of (selectorsOf(object) ?? []).filter(isJsonObject))
      if (matchesLabels(requirementsOf(selector), labels)) return true
  return false
}

function aggregateOnce(roles: Collection): boolean {
  let changed = false
  const all = [...roles.range('')].map(([key, { object }]) => ({ key, object }))
  for (const { key, object } of all) {
    const selectors = selectorsOf(object)
    if (selectors === undefined) continue
    const rules = aggregatedRules(
      object,
      selectors,
      all.map((entry) => entry.object),
    )
    if (equal(object['rules'] ?? [], rules)) continue
    roles.put(key, withField(object, 'rules', rules))
    changed = true
  }
  return changed
}

function aggregatedRules(own: ApiObject, selectors: readonly Json[], roles: readonly ApiObject[]): readonly Json[] {
  const rules: Json[] = []
  for (const selector of selectors.filter(isJsonObject)) {
    const requirements = requirementsOf(selector)
    for (const role of roles) {
      if (role.metadata.name === own.metadata.name || !matchesLabels(requirements, role.metadata.labels)) continue
      const added = role['rules']
      if (!Array.isArray(added)) continue
      for (const rule of added as readonly Json[]) if (!rules.some((known) => equal(known, rule))) rules.push(rule)
    }
  }
  return rules
}
