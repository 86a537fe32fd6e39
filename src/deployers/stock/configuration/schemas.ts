/** Schemas and types that several provider configurations share. Unknown fields are accepted. */
import type { Schema } from '../../../schema/index.ts'
import type { DeletionGroup } from '../../apply/deletion-groups.ts'
import { strategies } from '../../apply/strategy.ts'
import type { ContinuousReconcileSpec } from '../../hooks/continuous.ts'
import type { RequirementSpec } from '../../readiness/requirement.ts'

export const text: Schema = { type: 'string' }
export const name: Schema = { type: 'string', minLength: 1 }
export const flag: Schema = { type: 'boolean' }
export const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
export const duration: Schema = {
  type: 'string',
  pattern: '^(none|0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$',
}

export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

export function list(items: Schema, more: Schema = {}): Schema {
  return { type: 'array', items, ...more }
}

const names = object({}, [])
const labels: Schema = { ...names, additionalProperties: text }
const typed = { apiVersion: name, kind: name }
const reference = object({ ...typed, name, namespace: text }, ['apiVersion', 'kind', 'name'])

export interface ReadinessSpec {
  readonly disableDefault?: boolean
  readonly timeout?: string
  readonly custom?: readonly {
    readonly name: string
    readonly timeout?: string
    readonly disabled?: boolean
    readonly resourceSelector?: readonly ReferenceSpec[]
    readonly labelSelector?: {
      readonly apiVersion: string
      readonly kind: string
      readonly matchLabels: Readonly<Record<string, string>>
    }
    readonly requirements: readonly RequirementSpec[]
  }[]
}

export interface ReferenceSpec {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export const readinessChecks = object({
  disableDefault: flag,
  timeout: duration,
  custom: list(
    object(
      {
        name,
        timeout: duration,
        disabled: flag,
        resourceSelector: list(reference),
        labelSelector: object({ ...typed, matchLabels: labels }, ['apiVersion', 'kind', 'matchLabels']),
        requirements: list(
          object({ jsonPath: name, operator: text, values: list(object({ value: anything }, ['value'])) }, [
            'jsonPath',
            'operator',
          ]),
          { minItems: 1 },
        ),
      },
      ['name', 'requirements'],
    ),
  ),
})

export interface ExportSpec {
  readonly key: string
  readonly jsonPath: string
  readonly timeout?: string
  readonly fromResource?: ReferenceSpec
  readonly fromObjectRef?: { readonly apiVersion: string; readonly kind: string; readonly jsonPath: string }
}

export interface ExportsSpec {
  readonly defaultTimeout?: string
  readonly exports?: readonly ExportSpec[]
}

export const exportList = list(
  object(
    {
      key: name,
      jsonPath: name,
      timeout: duration,
      fromResource: reference,
      fromObjectRef: object({ ...typed, jsonPath: name }, ['apiVersion', 'kind', 'jsonPath']),
    },
    ['key', 'jsonPath'],
  ),
)
export const exportsSchema = object({ defaultTimeout: duration, exports: exportList })

export const continuousReconcile = object({ cron: text, every: duration })

const deletionGroup = object({
  predefinedResourceGroup: object(
    {
      type: { type: 'string', enum: ['namespaced-resources', 'cluster-scoped-resources', 'crds', 'empty'] },
      forceDelete: flag,
    },
    ['type'],
  ),
  customResourceGroup: object(
    {
      resources: list(object({ ...typed, names: list(text), namespaces: list(text) }, ['apiVersion', 'kind']), {
        minItems: 1,
      }),
      forceDelete: flag,
      deleteAllResources: flag,
      targetName: text,
    },
    ['resources'],
  ),
})

/** Fields of every deployer that applies objects. */
export interface ApplySpec {
  readonly kubeconfig?: string
  readonly updateStrategy?: (typeof strategies)[number]
  /** Server-side apply takes over fields of other managers instead of reporting a conflict. */
  readonly forceConflicts?: boolean
  readonly readinessChecks?: ReadinessSpec
  readonly deleteTimeout?: string
  readonly exports?: ExportsSpec
  readonly continuousReconcile?: ContinuousReconcileSpec
  readonly deletionGroups?: readonly DeletionGroup[]
  readonly deletionGroupsDuringUpdate?: readonly DeletionGroup[]
}

export const applyProperties: Readonly<Record<string, Schema>> = {
  kubeconfig: text,
  updateStrategy: { type: 'string', enum: [...strategies] },
  forceConflicts: flag,
  readinessChecks,
  // The old name of readinessChecks, which Landscaper examples still use.
  healthChecks: readinessChecks,
  deleteTimeout: duration,
  exports: exportsSchema,
  continuousReconcile,
  deletionGroups: list(deletionGroup),
  deletionGroupsDuringUpdate: list(deletionGroup),
}
