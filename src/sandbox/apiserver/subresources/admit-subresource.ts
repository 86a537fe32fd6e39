/** Admission of the body of a subresource: a Scale, a Binding or an Eviction instead of the object it belongs to. */
import type { JsonObject } from '../../../runtime/index.ts'
import type { Attributes } from '../admission/admission.ts'
import type { ApiObject } from '../object.ts'
import { type ResourceRequest, warn } from '../rest/request.ts'

/** Returns the object after mutation and validation. */
export async function admitSubresource(
  request: ResourceRequest,
  write: {
    readonly operation: 'CREATE' | 'UPDATE'
    readonly object: ApiObject
    readonly old?: ApiObject
    readonly options: JsonObject
  },
): Promise<ApiObject> {
  const { operation, object, old, options } = write
  const { parts, resource, subresource, info, user, dryRun } = request
  const attributes = {
    operation,
    resource,
    subresource,
    namespace: info.namespace,
    name: info.name,
    object,
    old,
    user,
    dryRun,
    options: { ...options, kind: operation === 'UPDATE' ? 'UpdateOptions' : 'CreateOptions' },
    warn: (text: string) => warn(request, text),
  } satisfies Attributes
  const mutated = await parts.admission.mutate(attributes)
  await parts.admission.validate({ ...attributes, object: mutated })
  return mutated
}
