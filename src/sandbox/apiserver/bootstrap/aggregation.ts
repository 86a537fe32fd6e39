/** Keeps the rules of aggregated ClusterRoles the sum of the roles they select. */
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import { type ApiObject, at, withField } from '../object.ts'
import { matchesLabels, requirementsOf } from '../selectors/labels.ts'
import type { Collection } from '../storage/collection.ts'
import { equal } from '../storage/share.ts'

/** Follows the collection of ClusterRoles from now on. */
export function aggregateClusterRoles(roles: Collection): void {
  let busy = false
  roles.follow(() => {
    // Its own writes come back here; one pass after another settles chains such as view into edit into admin.
    if (busy) return
    busy = true
    try {
      while (pass(roles)) {}
    } finally {
      busy = false
    }
  })
}

function pass(roles: Collection): boolean {
  let changed = false
  const all = [...roles.range('')].map(([key, { object }]) => ({ key, object }))
  for (const { key, object } of all) {
    const selectors = at(object, 'aggregationRule', 'clusterRoleSelectors')
    if (!Array.isArray(selectors)) continue
    const rules = sum(
      object,
      selectors as readonly Json[],
      all.map((entry) => entry.object),
    )
    if (equal(object['rules'] ?? [], rules)) continue
    roles.put(key, withField(object, 'rules', rules))
    changed = true
  }
  return changed
}

function sum(own: ApiObject, selectors: readonly Json[], roles: readonly ApiObject[]): readonly Json[] {
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
