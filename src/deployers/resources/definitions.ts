/**
 * CustomResourceDefinitions of the Landscaper resources: structural schemas, CEL rules and printer columns. The execution controller
 * reports what CEL rules cannot check, such as longer dependency cycles.
 */
import type { KubeObject } from '../../kube/index.ts'
import type { Schema } from '../../schema/index.ts'
import {
  anyJson,
  conditions,
  duration,
  embeddedResource,
  lastError,
  listOf,
  object,
  objectReference,
  text,
  time,
  wholeNumber,
} from './schemas.ts'
import { group, landscaperResources, version } from './types.ts'

/** The API server limits the estimated cost of CEL rules, so lists need a maximum length. */
const maxDeployItems = 200
const maxDependencies = 50
const name: Schema = { type: 'string', minLength: 1, maxLength: 253 }

const deployItemSpec: Schema = {
  ...object(
    {
      type: { type: 'string', minLength: 1, maxLength: 253 },
      target: objectReference,
      context: text,
      config: embeddedResource,
      registryPullSecrets: listOf(objectReference),
      timeout: duration,
      updateOnChangeOnly: { type: 'boolean' },
    },
    'type',
  ),
  'x-kubernetes-validations': [
    {
      rule: 'self.type == oldSelf.type',
      message: 'type is immutable: delete the item and create another',
      fieldPath: '.type',
    },
  ],
}

const deployItemStatus = object(
  {
    phase: text,
    observedGeneration: wholeNumber,
    conditions,
    lastError,
    lastReconcileTime: time,
    deployer: object({ identity: text, name: text, version: text }, 'identity', 'name', 'version'),
    providerStatus: embeddedResource,
    exportRef: objectReference,
    jobID: text,
    jobIDFinished: text,
    jobIDGenerationTime: time,
  },
  'observedGeneration',
)

const template: Schema = {
  ...object(
    {
      name,
      type: { type: 'string', minLength: 1, maxLength: 253 },
      target: objectReference,
      labels: { type: 'object', additionalProperties: text },
      config: embeddedResource,
      dependsOn: { type: 'array', maxItems: maxDependencies, items: name },
      timeout: duration,
    },
    'name',
    'type',
    'config',
  ),
  'x-kubernetes-validations': [
    {
      rule: '!has(self.dependsOn) || !(self.name in self.dependsOn)',
      message: 'an item cannot depend on itself',
      fieldPath: '.dependsOn',
    },
  ],
}

const executionSpec = object({
  context: text,
  deployItems: {
    type: 'array',
    maxItems: maxDeployItems,
    items: template,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
  registryPullSecrets: listOf(objectReference),
})

const executionStatus = object({
  phase: text,
  observedGeneration: wholeNumber,
  conditions,
  lastError,
  exportRef: objectReference,
  deployItemRefs: listOf(
    object(
      { name: text, ref: object({ name: text, namespace: text, observedGeneration: wholeNumber }, 'name') },
      'name',
      'ref',
    ),
  ),
  execGenerations: listOf(object({ name: text, observedGeneration: wholeNumber }, 'name', 'observedGeneration')),
})

interface Column {
  readonly priority?: number
  readonly name: string
  readonly jsonPath: string
  readonly type?: string
}

const age: Column = { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' }
const phase: Column = { name: 'Phase', jsonPath: '.status.phase' }
const exportRef: Column = { name: 'ExportRef', jsonPath: '.status.exportRef.name' }
const type: Column = { name: 'Type', jsonPath: '.spec.type' }
const lastMessage: Column = { name: 'Message', jsonPath: '.status.lastError.message' }

function definition(
  resource: keyof typeof landscaperResources,
  shortNames: readonly string[],
  schema: Schema,
  columns: readonly Column[],
): KubeObject {
  const { resource: plural, kind } = landscaperResources[resource]
  const hasStatus = schema.properties !== undefined && 'status' in schema.properties
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(hasStatus ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: columns.map((column) => ({ type: 'string', ...column })),
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  } as KubeObject
}

const meta = { apiVersion: text, kind: text, metadata: { type: 'object' } } as const

export const definitions: readonly KubeObject[] = [
  definition('deployItems', ['di'], object({ ...meta, spec: deployItemSpec, status: deployItemStatus }, 'spec'), [
    type,
    phase,
    exportRef,
    age,
    { ...lastMessage, priority: 1 },
  ]),
  definition(
    'targets',
    ['tgt', 'tg'],
    object({ ...meta, spec: object({ type: text, config: anyJson }, 'type') }, 'spec'),
    [type, age],
  ),
  definition(
    'contexts',
    ['ctx'],
    object({
      ...meta,
      repositoryContext: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      registryPullSecrets: listOf(object({ name: text })),
      configurations: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    }),
    [age],
  ),
  definition('executions', ['exec'], object({ ...meta, spec: executionSpec, status: executionStatus }, 'spec'), [
    phase,
    exportRef,
    age,
    { ...lastMessage, priority: 1 },
  ]),
  definition('dataObjects', ['do'], object({ ...meta, data: anyJson }), [age]),
]
