/** Compares RBAC rules: whether the rules a user holds cover the rules they want to grant. */
import type { Rule } from './rules.ts'

/** The parts of `wanted` that `held` does not cover, merged into as few rules as possible. */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  const missing = wanted.flatMap(splitRule).filter((rule) => !held.some((owner) => covers(owner, rule)))
  return mergeRules(missing)
}

/** One rule per verb, group, resource and name. */
function splitRule(rule: Rule): readonly Rule[] {
  const parts: Rule[] = []
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const names = rule.resourceNames ?? []
        const base = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (names.length === 0) parts.push(base)
        for (const name of names) parts.push({ ...base, resourceNames: [name] })
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] })
  }
  return parts
}

function covers(owner: Rule, part: Rule): boolean {
  if (!all(owner.verbs, part.verbs)) return false
  if (part.nonResourceURLs !== undefined) {
    return part.nonResourceURLs.every((url) =>
      owner.nonResourceURLs?.some(
        (held) => held === url || held === '*' || (held.endsWith('*') && url.startsWith(held.slice(0, -1))),
      ),
    )
  }
  if (!all(owner.apiGroups ?? [], part.apiGroups ?? [])) return false
  const resources = part.resources?.every((resource) => coversResource(owner.resources ?? [], resource)) === true
  const names = owner.resourceNames ?? []
  return resources && (names.length === 0 || part.resourceNames?.every((name) => names.includes(name)) === true)
}

function all(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes('*') || wanted.every((value) => held.includes(value))
}

function coversResource(held: readonly string[], resource: string): boolean {
  const [, subresource] = resource.split('/')
  return held.some(
    (one) => one === '*' || one === resource || (subresource !== undefined && one === `*/${subresource}`),
  )
}

/** Merges rules for the same resource into one with all their verbs. */
function mergeRules(rules: readonly Rule[]): readonly Rule[] {
  const merged = new Map<string, Rule>()
  for (const rule of rules) {
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs])
    const known = merged.get(key)
    merged.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] })
  }
  return [...merged.values()]
}
