/** Whether a webhook matches a request: its selectors, rules and match conditions. */
import type { JsonObject } from '../../../../runtime/index.ts'
import { celAuthorizer, celValue } from '../../../../schema/index.ts'
import type { Authorizer } from '../../authz/authorizer.ts'
import type { Registry } from '../../registry.ts'
import type { ServedResource } from '../../resource.ts'
import { matchesLabels } from '../../selectors/labels.ts'
import { forbidden } from '../../status/status-error.ts'
import type { Store } from '../../storage/store.ts'
import type { Attributes } from '../admission.ts'
import type { ReviewObjects } from './review.ts'
import type { Webhook, WebhookRule } from './webhook.ts'

export interface MatchDependencies {
  readonly store: Store
  readonly registry: Registry
  readonly authorizer: Authorizer
}

/** The resource version to send to the webhook; undefined when the webhook does not match. */
export function matchedResource(
  webhook: Webhook,
  attributes: Attributes,
  dependencies: MatchDependencies,
): ServedResource | undefined {
  const { resource } = attributes
  if (!selected(webhook, attributes, dependencies.store)) return undefined
  if (webhook.rules.some((rule) => ruleMatches(rule, attributes, resource))) return resource
  if (webhook.matchPolicy === 'Exact') return undefined
  return dependencies.registry
    .all()
    .find(
      (other) =>
        other !== resource &&
        other.storage.group === resource.storage.group &&
        other.storage.resource === resource.storage.resource &&
        webhook.rules.some((rule) => ruleMatches(rule, attributes, other)),
    )
}

function ruleMatches(rule: WebhookRule, { operation, subresource }: Attributes, resource: ServedResource): boolean {
  const any = (values: readonly string[], value: string): boolean => values.includes('*') || values.includes(value)
  if (!any(rule.operations, operation) || !any(rule.apiGroups, resource.group)) return false
  if (!any(rule.apiVersions, resource.version)) return false
  // Namespaces are cluster-scoped for rules, although requests for them carry a namespace.
  if (rule.scope !== '*' && rule.scope !== (resource.namespaced ? 'Namespaced' : 'Cluster')) return false
  return rule.resources.some((pattern) => {
    const [wanted, sub = ''] = pattern.split('/')
    const own = subresource?.name ?? ''
    return (wanted === '*' || wanted === resource.resource) && (sub === '*' || sub === own)
  })
}

function selected(webhook: Webhook, { object, old, namespace, resource }: Attributes, store: Store): boolean {
  const { namespaceSelector, objectSelector } = webhook
  if (objectSelector.length > 0) {
    const matches = [object, old].some(
      (candidate) => candidate !== undefined && matchesLabels(objectSelector, candidate.metadata.labels),
    )
    if (!matches) return false
  }
  if (namespaceSelector.length === 0) return true
  const isNamespace = resource.group === '' && resource.resource === 'namespaces'
  if (isNamespace) return matchesLabels(namespaceSelector, (object ?? old)?.metadata.labels)
  if (!resource.namespaced) return true
  const found = store.collection({ group: '', resource: 'namespaces' }).get(namespace)?.object
  return found === undefined || matchesLabels(namespaceSelector, found.metadata.labels)
}

/**
 * All match conditions must be true. A condition that fails to evaluate is handled by the failure policy, unless
 * another condition is false.
 */
export function matchConditionsHold(
  webhook: Webhook,
  attributes: Attributes,
  request: JsonObject,
  { object, old, authorizer }: ReviewObjects & Pick<MatchDependencies, 'authorizer'>,
): boolean {
  if (webhook.conditions.length === 0) return true
  const { user } = attributes
  const variables = {
    object: celValue(object ?? null),
    oldObject: celValue(old ?? null),
    request: celValue(request),
    authorizer: celAuthorizer(
      ({ verb, group = '', resource = '', subresource = '', namespace = '', name = '', path }) => {
        const place = path === undefined ? {} : { path }
        return authorizer.decide(user, { verb, group, resource, subresource, namespace, name, ...place })
      },
    ),
  }
  const faults: string[] = []
  for (const { program } of webhook.conditions) {
    try {
      if (program instanceof Error) throw program
      if (program.evaluate(variables).value === false) return false
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error))
    }
  }
  if (faults.length === 0) return true
  if (webhook.failurePolicy === 'Ignore') return false
  const text = faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`
  throw forbidden(attributes.resource, attributes.name, text)
}
