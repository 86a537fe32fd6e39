/** Admission: webhooks and CEL policies that see a request before it is stored. */
import type { LabelSelector } from '../label-selector.ts'
import type { KubeObject } from '../object.ts'

export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    readonly path?: string
    readonly port?: number
  }
  /** PEM in base64. */
  readonly caBundle?: string
}

export interface RuleWithOperations {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly scope?: string
}

export interface MatchCondition {
  readonly name: string
  /** CEL. */
  readonly expression: string
}

export interface ValidatingWebhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly matchConditions?: readonly MatchCondition[]
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
}

export interface MutatingWebhook extends ValidatingWebhook {
  readonly reinvocationPolicy?: string
}

export interface ValidatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly ValidatingWebhook[]
}

export interface MutatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly MutatingWebhook[]
}

export interface MatchResources {
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly RuleWithOperations[]
  readonly excludeResourceRules?: readonly RuleWithOperations[]
}

interface AdmissionPolicySpec {
  readonly failurePolicy?: string
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly { readonly name: string; readonly expression: string }[]
}

export interface ValidatingAdmissionPolicy extends KubeObject {
  readonly spec: AdmissionPolicySpec & {
    readonly validations?: readonly {
      readonly expression: string
      readonly message?: string
      readonly messageExpression?: string
      readonly reason?: string
    }[]
    readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[]
  }
}

export interface MutatingAdmissionPolicy extends KubeObject {
  readonly spec: AdmissionPolicySpec & {
    readonly mutations?: readonly {
      /** `ApplyConfiguration` or `JSONPatch`. */
      readonly patchType: string
      readonly applyConfiguration?: { readonly expression?: string }
      readonly jsonPatch?: { readonly expression?: string }
    }[]
    readonly reinvocationPolicy: string
  }
}

export interface MutatingAdmissionPolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName?: string
    readonly paramRef?: {
      readonly name?: string
      readonly namespace?: string
      readonly selector?: LabelSelector
      readonly parameterNotFoundAction?: string
    }
    readonly matchResources?: MatchResources
  }
}

export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  readonly spec: MutatingAdmissionPolicyBinding['spec'] & { readonly validationActions?: readonly string[] }
}
