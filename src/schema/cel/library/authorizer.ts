/** `authorizer`: expressions may ask whether a user may do something; the answer comes from whoever gave the variable. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll } from './registration.ts'

export interface AccessQuestion {
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly verb: string
  /** `namespace:name` of a service account to ask for instead of the user of the request. */
  readonly serviceAccount?: string
}

export interface AccessAnswer {
  readonly allowed: boolean
  readonly reason?: string
}

type Decide = (question: AccessQuestion) => AccessAnswer

class Authorizer {
  readonly decide: Decide
  readonly question: Omit<AccessQuestion, 'verb'>

  constructor(decide: Decide, question: Omit<AccessQuestion, 'verb'> = {}) {
    this.decide = decide
    this.question = question
  }
}

class GroupCheck extends Authorizer {}
class ResourceCheck extends Authorizer {}
class PathCheck extends Authorizer {}

class Decision {
  readonly answer: AccessAnswer

  constructor(answer: AccessAnswer) {
    this.answer = answer
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
  const check = (asked: Authorizer, verb: string): Decision => new Decision(asked.decide({ ...asked.question, verb }))
  const narrowed = (key: keyof AccessQuestion) => (asked: Authorizer, value: string) =>
    new ResourceCheck(asked.decide, { ...asked.question, [key]: value })
  registerAll(environment, {
    [`${prefix}.Authorizer.path(string): ${prefix}.PathCheck`]: (asked: Authorizer, path: string) =>
      new PathCheck(asked.decide, { ...asked.question, path }),
    [`${prefix}.Authorizer.group(string): ${prefix}.GroupCheck`]: (asked: Authorizer, group: string) =>
      new GroupCheck(asked.decide, { ...asked.question, group }),
    [`${prefix}.Authorizer.serviceAccount(string, string): ${prefix}.Authorizer`]: (
      asked: Authorizer,
      namespace: string,
      name: string,
    ) => new Authorizer(asked.decide, { ...asked.question, serviceAccount: `${namespace}:${name}` }),
    [`${prefix}.GroupCheck.resource(string): ${prefix}.ResourceCheck`]: narrowed('resource'),
    [`${prefix}.ResourceCheck.subresource(string): ${prefix}.ResourceCheck`]: narrowed('subresource'),
    [`${prefix}.ResourceCheck.namespace(string): ${prefix}.ResourceCheck`]: narrowed('namespace'),
    [`${prefix}.ResourceCheck.name(string): ${prefix}.ResourceCheck`]: narrowed('name'),
    [`${prefix}.PathCheck.check(string): ${prefix}.Decision`]: check,
    [`${prefix}.ResourceCheck.check(string): ${prefix}.Decision`]: check,
    [`${prefix}.Decision.allowed(): bool`]: ({ answer }: Decision) => answer.allowed,
    [`${prefix}.Decision.reason(): string`]: ({ answer }: Decision) => answer.reason ?? '',
    [`${prefix}.Decision.errored(): bool`]: () => false,
    [`${prefix}.Decision.error(): string`]: () => '',
  })
}
