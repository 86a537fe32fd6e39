/** The scale subresource: desired and current replicas of every kind that declares the paths. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { invalid } from '../field-error.ts'
import { type ApiObject, at, withMetadata } from '../object.ts'
import type { ScalePaths, Subresource } from '../resource.ts'
import { mediaTypeOf, readJson, readObject } from '../rest/body.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { applyPatch, patchRetries } from '../rest/patch.ts'
import { get } from '../rest/read.ts'
import { managerOf, type ResourceRequest } from '../rest/request.ts'
import { updateObject } from '../rest/update.ts'
import { writeOptionsOf } from '../rest/write-options.ts'
import { formatLabelSelector, requirementsOf } from '../selectors/labels.ts'
import { badRequest, conflict, invalidObject, modifiedMeanwhile } from '../status/status-error.ts'
import { admitSubresource } from './admit-subresource.ts'

export async function getScale(request: ResourceRequest): Promise<HandlerResult> {
  const result = await get(request)
  if (result.kind !== 'object') return result
  return { kind: 'object', code: 200, object: scaleOf(result.object, pathsOf(request.subresource)) }
}

export async function updateScale(request: ResourceRequest): Promise<HandlerResult> {
  const body = readObject(request.http.body, request.http.headers['content-type'], 'Scale')
  return writeScale(request, () => body, writeOptionsOf(request.query, 'UpdateOptions'))
}

export async function patchScale(request: ResourceRequest): Promise<HandlerResult> {
  const type = mediaTypeOf(request.http.headers['content-type'])
  const apply = type === 'application/apply-patch+yaml'
  const body = readJson(request.http.body, apply ? 'application/yaml' : 'application/json')
  const dialect = apply ? 'application/merge-patch+json' : type
  return writeScale(
    request,
    (scale) => applyPatch(dialect, scale, body, {}),
    writeOptionsOf(request.query, 'PatchOptions'),
    patchRetries,
  )
}

async function writeScale(
  request: ResourceRequest,
  changed: (scale: ApiObject) => Json,
  options: JsonObject,
  again = 0,
): Promise<HandlerResult> {
  const { parts, resource, info } = request
  const paths = pathsOf(request.subresource)
  const result = await updateObject(request, {
    options,
    retries: again,
    admitted: true,
    async wanted(old) {
      const before = scaleOf(old, paths)
      const sent = changed(before)
      if (!isJsonObject(sent)) throw badRequest('the body is not a Scale')
      const whole = { ...before, ...sent, kind: 'Scale', apiVersion: 'autoscaling/v1' } as ApiObject
      const wanted = await admitSubresource(request, { operation: 'UPDATE', object: whole, old: before, options })
      const replicas = at(wanted, 'spec', 'replicas') ?? 0
      const version = at(wanted, 'metadata', 'resourceVersion')
      if (typeof version === 'string' && version !== '' && version !== old.metadata.resourceVersion) {
        throw conflict(resource, info.name, modifiedMeanwhile)
      }
      if (typeof replicas !== 'number' || replicas < 0) {
        throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, info.name, [
          invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
        ])
      }
      const object = setAt(old, pathOf(paths.specReplicasPath), replicas) as ApiObject
      return parts.fields.update({
        resource,
        manager: managerOf(request),
        subresource: 'scale',
        now: parts.runtime.clock.now(),
        object: withMetadata(object, { resourceVersion: typeof version === 'string' && version ? version : undefined }),
        old,
      })
    },
  })
  return result.kind === 'object'
    ? { kind: 'object', code: result.code, object: scaleOf(result.object, paths) }
    : result
}

function scaleOf(object: ApiObject, paths: ScalePaths): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = at(object, ...pathOf(paths.specReplicasPath))
  const current = at(object, ...pathOf(paths.statusReplicasPath))
  const selector = selectorText(
    paths.labelSelectorPath === undefined ? undefined : at(object, ...pathOf(paths.labelSelectorPath)),
  )
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: typeof current === 'number' ? current : 0,
      ...(selector === '' ? {} : { selector }),
    },
  }
}

/** At this path built-in kinds have a LabelSelector (or a plain map), custom resources text. */
function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector
  if (!isJsonObject(selector)) return ''
  const structured = 'matchLabels' in selector || 'matchExpressions' in selector
  return formatLabelSelector(
    requirementsOf(structured ? selector : { matchLabels: selector as Record<string, string> }),
  )
}

function pathsOf(subresource: Subresource | undefined): ScalePaths {
  if (subresource?.scale === undefined) throw badRequest('the resource has no scale')
  return subresource.scale
}

function pathOf(text: string): readonly string[] {
  return text.split('.').filter((part) => part !== '')
}

function setAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [head, ...rest] = path
  if (head === undefined) return object
  const inner = object[head]
  return { ...object, [head]: rest.length === 0 ? value : setAt(isJsonObject(inner) ? inner : {}, rest, value) }
}
