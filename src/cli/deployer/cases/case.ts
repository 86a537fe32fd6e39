/** The YAML format of a deployer test case: the given objects and the expected result. */
import { type DeployItemSpec, duration, listOf, object, readDuration, text } from '../../../deployers/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import { CarabinerError, type Json, type JsonObject } from '../../../runtime/index.ts'
import { explainFieldError, type Schema, validate } from '../../../schema/index.ts'

/** Only the fields that are present are compared. */
export interface Expectation {
  readonly phase?: string
  /** Objects that must exist with at least these fields; found by apiVersion, kind, name and namespace. */
  readonly objects?: readonly KubeObject[]
  readonly absent?: readonly KubeObject[]
  readonly exports?: JsonObject
  readonly providerStatus?: JsonObject
  /** Fields of `status.lastError`; `message` must be a part of the actual message. */
  readonly error?: JsonObject
}

export interface DeployerCase {
  readonly name: string
  /** Path relative to the file of the case. */
  readonly deployer: string
  readonly given: {
    readonly item: { readonly metadata: KubeObject['metadata']; readonly spec: DeployItemSpec }
    readonly objects?: readonly KubeObject[]
  }
  readonly expect: Expectation
  /** With this, the item is deleted afterwards, and this is the expected result. */
  readonly afterDelete?: Pick<Expectation, 'objects' | 'absent'>
  /** Time limit in milliseconds of virtual time. */
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

const defaultWithinMs = 10 * 60_000

export function readCase(document: Json, place: string): DeployerCase {
  const [error] = validate(document, schema, { path: '', closed: true })
  if (error !== undefined)
    throw new CarabinerError('CRB_DEPLOYER_CASE_INVALID', `${place}: ${explainFieldError(error)}`)
  const { within, ...rest } = document as unknown as Omit<DeployerCase, 'within'> & { readonly within?: string }
  return { ...rest, within: (within === undefined ? undefined : readDuration(within)) || defaultWithinMs }
}
