/** Where pods may run: node selectors, affinity, tolerations, spreading. */
import type { LabelSelector } from '../label-selector.ts'

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface NodeSelectorRequirement {
  readonly key: string
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`. */
  readonly operator: string
  readonly values?: readonly string[]
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number
    readonly podAffinityTerm: PodAffinityTerm
  }[]
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
    }
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number
      readonly preference: NodeSelectorTerm
    }[]
  }
  readonly podAffinity?: PodAffinity
  readonly podAntiAffinity?: PodAffinity
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  /** `DoNotSchedule` or `ScheduleAnyway`. */
  readonly whenUnsatisfiable: string
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
}
