/**
 * The part of an object that is kept in memory: the results of the bindings' filters as canonical JSON text, which can be compared and
 * copied into contexts, and the full object as bytes only where a binding needs it.
 */
import type { Program } from '../../../jq/index.ts'
import { type KubeObject, withoutManagedFields } from '../../../kube/index.ts'
import { canonicalJson, type Json, sha256Hex } from '../../../runtime/index.ts'

export interface KeptObject {
  /**
   * One result per filter, or its checksum. Undefined when the filter failed for this object; the previous result is then kept, so that an
   * object whose filter succeeds again with the same result is not a change.
   */
  readonly results: (string | undefined)[]
  readonly whole: Uint8Array | undefined
}

export interface CombinedNeeds {
  /** A checksum is kept of results that are only compared. */
  readonly filters: readonly { readonly program: Program; readonly needsResult: boolean }[]
  readonly isWhole: boolean
}

export interface FilterReport {
  failed(filter: Program, object: KubeObject, error: unknown): void
  took(filter: Program, milliseconds: number): void
}

const encoder = new TextEncoder()
const checksumLength = 64

export function projection(
  { filters, isWhole }: CombinedNeeds,
  clock: { monotonic(): number },
  report: FilterReport,
): (object: KubeObject) => KeptObject {
  return (found) => {
    const object = withoutManagedFields(found)
    const results = filters.map(({ program, needsResult }) => {
      const begun = clock.monotonic()
      try {
        const result = resultOf(program, object)
        return needsResult || result.length <= checksumLength ? result : sha256Hex(result)
      } catch (error) {
        report.failed(program, object, error)
        return undefined
      } finally {
        report.took(program, clock.monotonic() - begun)
      }
    })
    return { results, whole: isWhole ? encoder.encode(JSON.stringify(object)) : undefined }
  }
}

/** No output becomes null, several outputs become an array. */
function resultOf(filter: Program, object: KubeObject): string {
  const outputs = [...filter.run(object as unknown as Json)]
  return flat(canonicalJson(outputs.length > 1 ? outputs : (outputs[0] ?? null)))
}

const decoder = new TextDecoder()

/** A concatenated string keeps all its parts in memory; a copy does not. */
function flat(text: string): string {
  return decoder.decode(encoder.encode(text))
}
