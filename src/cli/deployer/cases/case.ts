/** A test case of a deployer, as it is written in YAML: what there is, and what shall have become of it. */
import { readDuration } from '../../../deployers/resources/duration.ts'
import { duration, listOf, object, text } from '../../../deployers/resources/schemas.ts'
import type { DeployItemSpec } from '../../../deployers/resources/types.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { Json, JsonObject } from '../../../runtime/json.ts'
import { explainFieldError } from '../../../schema/field-error.ts'
import type { Schema } from '../../../schema/schema.ts'
import { validate } from '../../../schema/validate.ts'

/** Everything that is named must be so; what is not named does not matter. */
export interface Expectation {
  readonly phase?: string
  /** Each is found by apiVersion, kind, name and namespace, and holds at least these fields. */
  readonly objects?: readonly KubeObject[]
  readonly absent?: readonly KubeObject[]
  readonly exports?: JsonObject
  readonly providerStatus?: JsonObject
  /** Fields of `status.lastError`; a message need only be part of it. */
  readonly error?: JsonObject
}

export interface DeployerCase {
  readonly name: string
  /** Relative to the file of the case. */
  readonly deployer: string
  readonly given: {
    readonly item: { readonly metadata: KubeObject['metadata']; readonly spec: DeployItemSpec }
    readonly objects?: readonly KubeObject[]
  }
  readonly expect: Expectation
  /** The item is deleted after that, and this is what is left. */
  readonly afterDelete?: Pick<Expectation, 'objects' | 'absent'>
  /** Milliseconds of virtual time until the end must have come. */
  readonly within: number
}

const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const manifest: Schema = { ...anything, required: ['apiVersion', 'kind', 'metadata'] }

const schema = object(
  {
    name: text,
    deployer: text,
    within: duration,
    given: object({ item: { ...anything, required: ['metadata', 'spec'] }, objects: listOf(manifest) }, 'item'),
    expect: object({
      phase: text,
      objects: listOf(manifest),
      absent: listOf(manifest),
      exports: anything,
      providerStatus: anything,
      error: anything,
    }),
    afterDelete: object({ objects: listOf(manifest), absent: listOf(manifest) }),
  },
  'name',
  'deployer',
  'given',
  'expect',
)

const defaultWithin = 10 * 60_000

export function readCase(document: Json, place: string): DeployerCase {
  const [error] = validate(document, schema, { path: '', closed: true })
  if (error !== undefined)
    throw new CarabinerError('CRB_DEPLOYER_CASE_INVALID', `${place}: ${explainFieldError(error)}`)
  const { within, ...rest } = document as unknown as Omit<DeployerCase, 'within'> & { readonly within?: string }
  return { ...rest, within: (within === undefined ? undefined : readDuration(within)) || defaultWithin }
}
