/** Admission of what a subresource speaks: a Scale, a Binding or an Eviction rather than the object it belongs to. */
import type { JsonObject } from '../../../runtime/json.ts'
import type { Attributes } from '../admission/admission.ts'
import type { ApiObject } from '../object.ts'
import { type ResourceRequest, warn } from '../rest/request.ts'

/** The object to go on with, after mutation and validation. */
export async function admitted(
  request: ResourceRequest,
  operation: 'CREATE' | 'UPDATE',
  object: ApiObject,
  old: ApiObject | undefined,
  options: JsonObject,
): Promise<ApiObject> {
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
