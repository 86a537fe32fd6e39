/** What one RBAC rule allows. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'

export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface ResourceAccess {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

export function rulesIn(value: Json | undefined): readonly Rule[] {
  return Array.isArray(value)
    ? ((value as readonly Json[]).filter(isJsonObject) as readonly unknown[] as readonly Rule[])
    : []
}

export function allowsResource(rule: Rule, { verb, group, resource, subresource, name }: ResourceAccess): boolean {
  return (
    includes(rule.verbs, verb) &&
    includes(rule.apiGroups, group) &&
    allowsName(rule.resourceNames, name) &&
    resourceMatches(rule.resources ?? [], resource, subresource)
  )
}

function includes(values: readonly string[] | undefined, value: string): boolean {
  return values?.some((candidate) => candidate === '*' || candidate === value) === true
}

function allowsName(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name)
}

function resourceMatches(rules: readonly string[], resource: string, subresource: string): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  return rules.some((rule) => rule === '*' || rule === full || (subresource !== '' && rule === `*/${subresource}`))
}

export function allowsPath(rule: Rule, verb: string, path: string): boolean {
  return (
    includes(rule.verbs, verb) &&
    rule.nonResourceURLs?.some(
      (url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))),
    ) === true
  )
}

/** Formats a rule as error messages of the real API server do. */
export function formatRule(rule: Rule): string {
  const list = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
  const parts: string[] = []
  if (rule.apiGroups?.length) parts.push(`APIGroups:${list(rule.apiGroups)}`)
  if (rule.resources?.length) parts.push(`Resources:${list(rule.resources)}`)
  if (rule.resourceNames?.length) parts.push(`ResourceNames:${list(rule.resourceNames)}`)
  if (rule.nonResourceURLs?.length) parts.push(`NonResourceURLs:${list(rule.nonResourceURLs)}`)
  parts.push(`Verbs:${list(rule.verbs)}`)
  return `{${parts.join(', ')}}`
}
