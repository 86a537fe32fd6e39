/**
 * The definition of the RolloutPolicy resource: structural schema, rules for everything that can be checked without looking at other
 * objects, and the columns people see. Lists and texts are bounded, because rules over unbounded ones are too dear for an API server.
 */
import { approvalSchema, httpSchema, jobSchema, podSchema } from '../../hooks/index.ts'
import type { KubeObject } from '../../kube/index.ts'
import { canonicalJson, sha256Hex } from '../../runtime/index.ts'
import type { Schema } from '../../schema/index.ts'
import { defaultTypes } from './compile.ts'
import { described, specSentences } from './descriptions.ts'
import { ledgerSchema } from './ledger-schema.ts'
import { statusSentences } from './status-descriptions.ts'

export const group = 'carabiner.dev'
export const version = 'v1alpha1'
export const kind = 'RolloutPolicy'

const name: Schema = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 40 }
const words = (...values: string[]): Schema => ({ type: 'string', enum: values })
const wholeNumber = (minimum: number): Schema => ({ type: 'integer', format: 'int64', minimum })
const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const rolloutTypes: Schema = {
  type: 'array',
  maxItems: 5,
  'x-kubernetes-list-type': 'set',
  items: words('ROLLOUT', 'ROLLBACK', 'UNDO', 'RESTART', 'CREATE'),
}

const actions: Readonly<Record<string, Schema>> = {
  jobSpec: jobSchema,
  execNewPod: podSchema,
  http: httpSchema,
  approval: approvalSchema,
}

const attemptLimits: Readonly<Record<string, Schema>> = {
  retry: {
    type: 'object',
    properties: { limit: wholeNumber(0), backoffSeconds: wholeNumber(1), maxBackoffSeconds: wholeNumber(1) },
  },
  timeoutSeconds: wholeNumber(1),
}

const oneAction = {
  rule: '[has(self.jobSpec), has(self.execNewPod), has(self.http), has(self.approval)].filter(given, given).size() == 1',
  message: 'exactly one of jobSpec, execNewPod, http, approval must be given',
}
const retryOnly = {
  rule: "!has(self.retry) || self.failurePolicy == 'Retry'",
  message: 'retry goes with failurePolicy Retry',
  fieldPath: '.retry',
}

function handler(...policies: string[]): Schema {
  return {
    type: 'object',
    required: ['failurePolicy'],
    properties: { failurePolicy: words(...policies), ...actions, ...attemptLimits },
    'x-kubernetes-validations': [oneAction, retryOnly],
  }
}

const trigger: Schema = {
  type: 'object',
  properties: {
    type: { ...words('ProgressAvailable', 'Aborted'), default: 'ProgressAvailable' },
    progressAvailableParams: {
      type: 'object',
      required: ['progressPoint'],
      properties: {
        progressPoint: {
          'x-kubernetes-int-or-string': true,
          maxLength: 10,
          'x-kubernetes-validations': [
            {
              rule: "type(self) == int ? self >= 0 : string(self).matches('^([0-9]+|(100|[0-9]{1,2})%)$')",
              message: 'must be a number of pods, 0 or more, or a percentage from 0% to 100%',
            },
          ],
        },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: "(self.type == 'ProgressAvailable') == has(self.progressAvailableParams)",
      message: 'progressAvailableParams must be given for type ProgressAvailable, and for no other',
      fieldPath: '.progressAvailableParams',
    },
  ],
}

const lifecycleHook: Schema = {
  type: 'object',
  required: ['name', 'trigger'],
  properties: {
    name,
    trigger,
    failurePolicy: { ...words('Abort', 'Ignore', 'Continue', 'Retry'), default: 'Abort' },
    retainPolicy: { ...words('Always', 'OnFailure', 'Never'), default: 'OnFailure' },
    rolloutTypes,
    on: rolloutTypes,
    ...actions,
    ...attemptLimits,
  },
  'x-kubernetes-validations': [
    oneAction,
    retryOnly,
    {
      rule: "!(self.name in ['pre', 'mid', 'post'])",
      message: 'pre, mid and post are names of the lifecycle',
      fieldPath: '.name',
    },
    {
      rule: '!has(self.on) || !has(self.rolloutTypes)',
      message: 'on is the previous name of rolloutTypes: only one of them can be given',
      fieldPath: '.on',
    },
  ],
}

const spec: Schema = {
  type: 'object',
  required: ['targetRef'],
  properties: {
    targetRef: {
      type: 'object',
      required: ['apiVersion', 'kind', 'name'],
      properties: {
        apiVersion: words('apps/v1'),
        kind: words('Deployment', 'StatefulSet', 'DaemonSet'),
        name: { type: 'string', minLength: 1, maxLength: 253 },
      },
      'x-kubernetes-validations': [
        { rule: 'self == oldSelf', message: 'the target cannot change; make another policy' },
      ],
    },
    lifecycle: {
      type: 'object',
      properties: {
        pre: handler('Retry', 'Abort', 'Ignore', 'Continue'),
        mid: handler('Retry', 'Abort', 'Ignore', 'Continue'),
        // What has been rolled out cannot be aborted any more.
        post: handler('Retry', 'Ignore', 'Continue'),
      },
    },
    lifecycleHooks: {
      type: 'array',
      maxItems: 32,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: lifecycleHook,
    },
    rolloutTypes: { ...rolloutTypes, default: [...defaultTypes] },
    onAbort: { ...words('Hold', 'Undo'), default: 'Hold' },
    suspend: { type: 'boolean' },
    historyLimit: { ...wholeNumber(0), maximum: 50, default: 5 },
    openshiftEnvironment: { type: 'boolean' },
  },
  'x-kubernetes-validations': [
    {
      rule: "!has(self.lifecycle) || !has(self.lifecycle.mid) || self.targetRef.kind == 'Deployment'",
      message: 'mid is for Deployments with strategy Recreate',
      fieldPath: '.lifecycle.mid',
    },
  ],
}

const status: Schema = {
  type: 'object',
  // It has one writer, which writes it as a whole: field ownership is of no use here.
  'x-kubernetes-map-type': 'atomic',
  properties: {
    observedGeneration: wholeNumber(0),
    conditions: {
      type: 'array',
      maxItems: 8,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        ...anything,
        required: ['type', 'status'],
        properties: { type: { type: 'string' }, status: { type: 'string' } },
      },
    },
    gate: { type: 'string' },
    template: {
      type: 'object',
      required: ['uid', 'hash'],
      properties: { uid: { type: 'string' }, hash: { type: 'string' }, revision: { type: 'string' } },
    },
    rollout: ledgerSchema,
    history: { type: 'array', maxItems: 50, items: anything },
  },
}

export const policySchema: Schema = {
  type: 'object',
  description: 'Hooks around the rollouts of a Deployment, StatefulSet or DaemonSet.',
  required: ['spec'],
  properties: { spec: described(spec, specSentences), status: described(status, statusSentences) },
  'x-kubernetes-validations': [
    // It becomes the value of a label of the workload.
    { rule: 'self.metadata.name.size() <= 63', message: 'metadata.name of a policy has at most 63 characters' },
  ],
}

const definition: KubeObject & { readonly spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `rolloutpolicies.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'rolloutpolicies', singular: 'rolloutpolicy', kind, shortNames: ['rop'], categories: ['all'] },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Kind', type: 'string', jsonPath: '.spec.targetRef.kind' },
          { name: 'Target', type: 'string', jsonPath: '.spec.targetRef.name' },
          // The reason of the one condition that is true: the word that the commands show too.
          { name: 'State', type: 'string', jsonPath: '.status.conditions[?(@.status=="True")].reason' },
          { name: 'Point', type: 'string', jsonPath: '.status.rollout.point' },
          { name: 'Hook', type: 'string', jsonPath: '.status.rollout.waitingFor' },
          {
            ...{ name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.status=="True")].message' },
            priority: 1,
          },
          { name: 'Gate', type: 'string', jsonPath: '.status.gate', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: { openAPIV3Schema: policySchema },
      },
    ],
  },
}

const digestAnnotation = 'carabiner.dev/definition'

/** Its digest tells one version from another: API servers add fields to what they store. */
export const rolloutPolicyDefinition: typeof definition = {
  ...definition,
  metadata: {
    ...definition.metadata,
    annotations: { [digestAnnotation]: sha256Hex(canonicalJson(definition.spec)).slice(0, 16) },
  },
}

export function isSameDefinition({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[digestAnnotation] === rolloutPolicyDefinition.metadata.annotations?.[digestAnnotation]
}
