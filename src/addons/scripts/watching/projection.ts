/**
 * What is kept of an object: the results of the filters that bindings put over it, as canonical JSON text that can be compared and copied into
 * contexts as it is, and the whole object as compact bytes only where a binding needs it. Everything else is forgotten at once.
 */
import type { Program } from '../../../jq/program.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { withoutManagedFields } from '../../../kube/reflector/project.ts'
import { canonicalJson } from '../../../runtime/canonical-json.ts'
import type { Json } from '../../../runtime/json.ts'
import { sha256Hex } from '../../../runtime/sha256.ts'

export interface Kept {
  /**
   * One per filter, or its checksum. Undefined when the filter failed for this object; what it gave before is then put in its place, so that an object that
   * becomes readable again with the same result is no change.
   */
  readonly results: (string | undefined)[]
  readonly whole: Uint8Array | undefined
}

export interface Needs {
  /** Of results that nobody is told a checksum is enough. */
  readonly filters: readonly { readonly program: Program; readonly isTold: boolean }[]
  readonly isWhole: boolean
}

export interface FilterReport {
  failed(filter: Program, object: KubeObject, error: unknown): void
  took(filter: Program, milliseconds: number): void
}

const encoder = new TextEncoder()
const checksumLength = 64

export function projection(
  { filters, isWhole }: Needs,
  clock: { monotonic(): number },
  report: FilterReport,
): (object: KubeObject) => Kept {
  return (found) => {
    const object = withoutManagedFields(found)
    const results = filters.map(({ program, isTold }) => {
      const begun = clock.monotonic()
      try {
        const result = resultOf(program, object)
        return isTold || result.length <= checksumLength ? result : sha256Hex(result)
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

/** No output gives null, one gives itself, several give an array. */
function resultOf(filter: Program, object: KubeObject): string {
  const outputs = [...filter.run(object as unknown as Json)]
  return flat(canonicalJson(outputs.length > 1 ? outputs : (outputs[0] ?? null)))
}

const decoder = new TextDecoder()

/** A text put together from pieces holds on to all of them; a copy does not. */
function flat(text: string): string {
  return decoder.decode(encoder.encode(text))
}
