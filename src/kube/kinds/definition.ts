/** Definitions of custom resources. */
import type { KubeObject } from '../object.ts'
import type { WebhookClientConfig } from './admission.ts'
import type { Condition } from './condition.ts'

export interface DefinitionNames {
  readonly kind: string
  readonly plural: string
  readonly singular?: string
  readonly listKind?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: object }
  readonly subresources?: {
    readonly status?: object
    readonly scale?: {
      readonly specReplicasPath: string
      readonly statusReplicasPath: string
      readonly labelSelectorPath?: string
    }
  }
  readonly additionalPrinterColumns?: readonly {
    readonly name: string
    readonly type: string
    readonly jsonPath: string
    readonly description?: string
    readonly format?: string
    readonly priority?: number
  }[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

export interface Conversion {
  /** `None` or `Webhook`. */
  readonly strategy: string
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig
    readonly conversionReviewVersions: readonly string[]
  }
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string
    /** `Namespaced` or `Cluster`. */
    readonly scope: string
    readonly names: DefinitionNames
    readonly versions: readonly DefinitionVersion[]
    readonly conversion?: Conversion
    readonly preserveUnknownFields?: boolean
  }
  readonly status?: {
    readonly acceptedNames?: DefinitionNames
    readonly storedVersions?: readonly string[]
    readonly conditions?: readonly Condition[]
  }
}
