/** `authorizer`: expressions can check permissions of a user; the provider of the variable decides. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll } from './registration.ts'

export interface AccessRequest {
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly verb: string
  /** `namespace:name` of a service account that is checked instead of the user of the request. */
  readonly serviceAccount?: string
}

export interface AccessDecision {
  readonly allowed: boolean
  readonly reason?: string
}

type Decide = (request: AccessRequest) => AccessDecision

class Authorizer {
  readonly decide: Decide
  readonly request: Omit<AccessRequest, 'verb'>

  constructor(decide: Decide, request: Omit<AccessRequest, 'verb'> = {}) {
    this.decide = decide
    this.request = request
  }
}

class GroupCheck extends Authorizer {}
class ResourceCheck extends Authorizer {}
class PathCheck extends Authorizer {}

class Decision {
  readonly decision: AccessDecision

  constructor(decision: AccessDecision) {
    this.decision = decision
  }
}

/** The value of the variable `authorizer`. */
export function celAuthorizer(decide: Decide): unknown {
  return new Authorizer(decide)
}

export function registerAuthorizer(environment: Environment): void {
  const prefix = 'kubernetes.authorization'
  environment.registerType(`${prefix}.Authorizer`, { ctor: Authorizer, fields: {} })
  environment.registerType(`${prefix}.PathCheck`, { ctor: PathCheck, fields: {} })
  environment.registerType(`${prefix}.GroupCheck`, { ctor: GroupCheck, fields: {} })
  environment.registerType(`${prefix}.ResourceCheck`, { ctor: ResourceCheck, fields: {} })
  environment.registerType(`${prefix}.Decision`, { ctor: Decision, fields: {} })
  const check = (asked: Authorizer, verb: string): Decision => new Decision(asked.decide({ ...asked.request, verb }))
  const narrowed = (key: keyof AccessRequest) => (asked: Authorizer, value: string) =>
    new ResourceCheck(asked.decide, { ...asked.request, [key]: value })
  registerAll(environment, {
    [`${prefix}.Authorizer.path(string): ${prefix}.PathCheck`]: (asked: Authorizer, path: string) =>
      new PathCheck(asked.decide, { ...asked.request, path }),
    [`${prefix}.Authorizer.group(string): ${prefix}.GroupCheck`]: (asked: Authorizer, group: string) =>
      new GroupCheck(asked.decide, { ...asked.request, group }),
    [`${prefix}.Authorizer.serviceAccount(string, string): ${prefix}.Authorizer`]: (
      asked: Authorizer,
      namespace: string,
      name: string,
    ) => new Authorizer(asked.decide, { ...asked.request, serviceAccount: `${namespace}:${name}` }),
    [`${prefix}.GroupCheck.resource(string): ${prefix}.ResourceCheck`]: narrowed('resource'),
    [`${prefix}.ResourceCheck.subresource(string): ${prefix}.ResourceCheck`]: narrowed('subresource'),
    [`${prefix}.ResourceCheck.namespace(string): ${prefix}.ResourceCheck`]: narrowed('namespace'),
    [`${prefix}.ResourceCheck.name(string): ${prefix}.ResourceCheck`]: narrowed('name'),
    [`${prefix}.PathCheck.check(string): ${prefix}.Decision`]: check,
    [`${prefix}.ResourceCheck.check(string): ${prefix}.Decision`]: check,
    [`${prefix}.Decision.allowed(): bool`]: ({ decision }: Decision) => decision.allowed,
    [`${prefix}.Decision.reason(): string`]: ({ decision }: Decision) => decision.reason ?? '',
    [`${prefix}.Decision.errored(): bool`]: () => false,
    [`${prefix}.Decision.error(): string`]: () => '',
  })
}
