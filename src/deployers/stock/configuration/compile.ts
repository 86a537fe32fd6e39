/** The common parts of a provider configuration with every default filled in and everything checked that a schema cannot check. */
import { parseDuration } from '../../../cron/duration.ts'
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
  /** Milliseconds that orphans get. */
  readonly deleteTimeout: number
  readonly exports: readonly Export[]
  readonly deletionGroups: readonly DeletionGroup[] | undefined
  readonly deletionGroupsDuringUpdate: readonly DeletionGroup[] | undefined
}

const defaultReadiness = 180_000
const defaultDelete = 180_000
const defaultExport = 300_000

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
    deleteTimeout: milliseconds(spec.deleteTimeout, defaultDelete),
    exports: compileExports('spec.config.exports.exports', exports.exports ?? [], exports.defaultTimeout),
    deletionGroups: spec.deletionGroups,
    deletionGroupsDuringUpdate: spec.deletionGroupsDuringUpdate,
  }
}

/** What was installed by a good configuration must go even if the configuration has become a bad one since. */
export function forDeletion(decode: () => ApplyConfiguration): ApplyConfiguration {
  try {
    return decode()
  } catch (error) {
    if (error instanceof LandscaperError) return compileApply({})
    throw error
  }
}

function compileReadiness({ disableDefault = false, timeout, custom = [] }: ReadinessSpec): Checks {
  const general = milliseconds(timeout, defaultReadiness)
  return {
    useDefaults: !disableDefault,
    timeout: general,
    custom: custom.flatMap((spec, index): CustomCheck[] => {
      const field = `spec.config.readinessChecks.custom[${index}]`
      if (spec.disabled === true) return []
      const { resourceSelector = [], labelSelector } = spec
      if (resourceSelector.length === 0 && labelSelector === undefined)
        throw problem(field, 'has neither resourceSelector nor labelSelector')
      return [
        {
          name: spec.name,
          timeout: milliseconds(spec.timeout, general),
          resources: resourceSelector.map((one) => ({ ...one, namespace: one.namespace ?? '' })),
          selection: labelSelector,
          requirements: spec.requirements.map((requirement, at) => {
            const compiled = readable(`${field}.requirements[${at}].jsonPath`, () => compileRequirement(requirement))
            if (typeof compiled === 'string') throw problem(`${field}.requirements[${at}]:`, compiled)
            return compiled
          }),
        },
      ]
    }),
  }
}

/** A timeout of an export's own counts before the common one. */
export function compileExports(
  field: string,
  specs: readonly ExportSpec[],
  defaultTimeout: string | undefined,
): readonly Export[] {
  const common = milliseconds(defaultTimeout, defaultExport)
  return specs.map(({ key, jsonPath, timeout, fromResource, fromObjectRef }, index) => {
    const path = (name: string, text: string): JsonPath =>
      readable(`${field}[${index}].${name}`, () => compileJsonPath(text))
    if (fromObjectRef !== undefined && fromResource === undefined)
      throw problem(`${field}[${index}].fromObjectRef`, 'needs a fromResource to start from')
    return {
      key,
      path: path('jsonPath', jsonPath),
      timeout: milliseconds(timeout, common),
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

/** `none` means without end. */
function milliseconds(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  return text === 'none' ? Number.POSITIVE_INFINITY : (parseDuration(text) ?? otherwise)
}

function readable<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw problem(`${field}:`, error instanceof Error ? error.message.replace(/\.$/, '') : String(error))
  }
}
