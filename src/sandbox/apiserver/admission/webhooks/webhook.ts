/** Compiled webhook configurations: read from storage, defaults set, match conditions compiled. */
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/index.ts'
import { type CelProgram, compileCel } from '../../../../schema/index.ts'
import { type ApiObject, at } from '../../object.ts'
import { type Requirement, requirementsOf } from '../../selectors/labels.ts'

export interface WebhookRule {
  readonly operations: readonly string[]
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly resources: readonly string[]
  readonly scope: string
}

export interface Webhook {
  readonly id: string
  readonly name: string
  readonly configuration: string
  readonly clientConfig: JsonObject
  readonly rules: readonly WebhookRule[]
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly matchPolicy: 'Exact' | 'Equivalent'
  readonly namespaceSelector: readonly Requirement[]
  readonly objectSelector: readonly Requirement[]
  readonly timeoutSeconds: number
  readonly reinvocation: 'Never' | 'IfNeeded'
  readonly reviewVersions: readonly string[]
  readonly conditions: readonly { readonly name: string; readonly program: CelProgram | Error }[]
}

/** Variables that a match condition can use. */
export const conditionVariables = ['object', 'oldObject', 'request', 'authorizer']

export function webhooksOf(configuration: ApiObject): readonly Webhook[] {
  const { name } = configuration.metadata
  return listOf(configuration['webhooks']).map((hook, index) => webhookOf(name, index, hook))
}

function webhookOf(configuration: string, index: number, hook: JsonObject): Webhook {
  const timeout = hook['timeoutSeconds']
  return {
    id: `${configuration}/${index}/${String(hook['name'])}`,
    name: String(hook['name']),
    configuration,
    clientConfig: isJsonObject(hook['clientConfig']) ? hook['clientConfig'] : {},
    rules: listOf(hook['rules']).map(ruleOf),
    failurePolicy: hook['failurePolicy'] === 'Ignore' ? 'Ignore' : 'Fail',
    matchPolicy: hook['matchPolicy'] === 'Exact' ? 'Exact' : 'Equivalent',
    namespaceSelector: selectorOf(hook['namespaceSelector']),
    objectSelector: selectorOf(hook['objectSelector']),
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    reinvocation: hook['reinvocationPolicy'] === 'IfNeeded' ? 'IfNeeded' : 'Never',
    reviewVersions: textsOf(hook['admissionReviewVersions']),
    conditions: listOf(hook['matchConditions']).map((condition) => ({
      name: String(condition['name']),
      program: compiled(String(condition['expression'])),
    })),
  }
}

function compiled(expression: string): CelProgram | Error {
  try {
    return compileCel(expression, { variables: conditionVariables, returns: 'bool' })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function ruleOf(rule: JsonObject): WebhookRule {
  return {
    operations: textsOf(rule['operations']),
    apiGroups: textsOf(rule['apiGroups']),
    apiVersions: textsOf(rule['apiVersions']),
    resources: textsOf(rule['resources']),
    scope: String(at(rule, 'scope') ?? '*'),
  }
}

function selectorOf(value: Json | undefined): readonly Requirement[] {
  return isJsonObject(value) ? requirementsOf(value) : []
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(String) : []
}
