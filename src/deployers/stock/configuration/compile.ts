/** Validates the common parts of a provider configuration beyond its schema, and fills in the defaults. */
import { parseDuration } from '../../../cron/index.ts'
import type { DeletionGroup } from '../../apply/deletion-groups.ts'
import type { Strategy } from '../../apply/strategy.ts'
import type { Export } from '../../exports/exports.ts'
import { type ContinuousReconcileSpec, continuousSchedule } from '../../hooks/continuous.ts'
import { compileJsonPath, type JsonPath } from '../../jsonpath/path.ts'
import { LandscaperError } from '../../library/errors.ts'
import type { Checks, CustomCheck } from '../../readiness/checks.ts'
import { compileRequirement } from '../../readiness/requirement.ts'
import { problem } from './decode.ts'
import type { ApplySpec, ExportSpec, ReadinessSpec } from './schemas.ts'

export interface ApplyConfiguration {
  readonly kubeconfig: string | undefined
  readonly strategy: Strategy
  readonly force: boolean
  readonly checks: Checks
  /** How long the deletion of orphans may take, in milliseconds. */
  readonly deleteTimeoutMs: number
  readonly exports: readonly Export[]
  readonly deletionGroups: readonly DeletionGroup[] | undefined
  readonly deletionGroupsDuringUpdate: readonly DeletionGroup[] | undefined
}

const defaultReadinessTimeoutMs = 180_000
const defaultDeleteTimeoutMs = 180_000
const defaultExportTimeoutMs = 300_000

export function compileApply(spec: ApplySpec & { readonly healthChecks?: ReadinessSpec }): ApplyConfiguration {
  checkContinuous(spec.continuousReconcile)
  checkGroups('deletionGroups', spec.deletionGroups)
  checkGroups('deletionGroupsDuringUpdate', spec.deletionGroupsDuringUpdate)
  const { exports = {} } = spec
  return {
    kubeconfig: spec.kubeconfig,
    strategy: spec.updateStrategy ?? 'update',
    force: spec.forceConflicts ?? false,
    checks: compileReadiness(spec.readinessChecks ?? spec.healthChecks ?? {}),
    deleteTimeoutMs: milliseconds(spec.deleteTimeout, defaultDeleteTimeoutMs),
    exports: compileExports('spec.config.exports.exports', exports.exports ?? [], exports.defaultTimeout),
    deletionGroups: spec.deletionGroups,
    deletionGroupsDuringUpdate: spec.deletionGroupsDuringUpdate,
  }
}

/** An item must be deletable even after its configuration has become invalid. */
export function forDeletion(decode: () => ApplyConfiguration): ApplyConfiguration {
  try {
    return decode()
  } catch (error) {
    if (error instanceof LandscaperError) return compileApply({})
    throw error
  }
}

function compileReadiness({ disableDefault = false, timeout, custom = [] }: ReadinessSpec): Checks {
  const defaultTimeoutMs = milliseconds(timeout, defaultReadinessTimeoutMs)
  return {
    useDefaults: !disableDefault,
    timeoutMs: defaultTimeoutMs,
    custom: custom.flatMap((spec, index): CustomCheck[] => {
      const field = `spec.config.readinessChecks.custom[${index}]`
      if (spec.disabled === true) return []
      const { resourceSelector = [], labelSelector } = spec
      if (resourceSelector.length === 0 && labelSelector === undefined)
        throw problem(field, 'has neither resourceSelector nor labelSelector')
      return [
        {
          name: spec.name,
          timeoutMs: milliseconds(spec.timeout, defaultTimeoutMs),
          resources: resourceSelector.map((one) => ({ ...one, namespace: one.namespace ?? '' })),
          selection: labelSelector,
          requirements: spec.requirements.map((requirement, at) => {
            const compiled = atField(`${field}.requirements[${at}].jsonPath`, () => compileRequirement(requirement))
            if (typeof compiled === 'string') throw problem(`${field}.requirements[${at}]:`, compiled)
            return compiled
          }),
        },
      ]
    }),
  }
}

/** The timeout of an export takes precedence over the default one. */
export function compileExports(
  field: string,
  specs: readonly ExportSpec[],
  defaultTimeout: string | undefined,
): readonly Export[] {
  const defaultTimeoutMs = milliseconds(defaultTimeout, defaultExportTimeoutMs)
  return specs.map(({ key, jsonPath, timeout, fromResource, fromObjectRef }, index) => {
    const path = (name: string, text: string): JsonPath =>
      atField(`${field}[${index}].${name}`, () => compileJsonPath(text))
    if (fromObjectRef !== undefined && fromResource === undefined)
      throw problem(`${field}[${index}].fromObjectRef`, 'needs a fromResource to start from')
    return {
      key,
      path: path('jsonPath', jsonPath),
      timeoutMs: milliseconds(timeout, defaultTimeoutMs),
      from: fromResource === undefined ? undefined : { ...fromResource, namespace: fromResource.namespace ?? '' },
      reference:
        fromObjectRef === undefined
          ? undefined
          : { ...fromObjectRef, path: path('fromObjectRef.jsonPath', fromObjectRef.jsonPath) },
    }
  })
}

function checkContinuous(spec: ContinuousReconcileSpec | undefined): void {
  if (spec !== undefined) continuousSchedule(spec)
}

function checkGroups(field: string, groups: readonly DeletionGroup[] = []): void {
  for (const [index, { predefinedResourceGroup: predefined, customResourceGroup: custom }] of groups.entries()) {
    if ((predefined === undefined) === (custom === undefined))
      throw problem(
        `spec.config.${field}[${index}]`,
        'needs exactly one of predefinedResourceGroup, customResourceGroup',
      )
  }
}

/** `none` means no limit. */
function milliseconds(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  return text === 'none' ? Number.POSITIVE_INFINITY : (parseDuration(text) ?? otherwise)
}

function atField<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw problem(`${field}:`, error instanceof Error ? error.message.replace(/\.$/, '') : String(error))
  }
}
