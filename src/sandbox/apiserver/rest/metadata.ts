/** Metadata rules: what the API server sets on creation, what is immutable, and validation. */
import { append, type Random } from '../../../runtime/index.ts'
import { type FieldError, forbiddenValue, invalid, required, tooLong } from '../field-error.ts'
import { type ApiObject, type ObjectMeta, withMetadata } from '../object.ts'
import type { ServedResource } from '../resource.ts'
import { validateLabelKey, validateLabelValue } from '../selectors/names.ts'
import { equal } from '../storage/share.ts'

/** Letters and digits without vowels, as in the real API server, so that no words are generated. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

export function generateName(prefix: string, random: Random): string {
  let suffix = ''
  for (let index = 0; index < 5; index++) suffix += alphabet[Math.floor(random.next() * alphabet.length)]
  return `${prefix.slice(0, 58)}${suffix}`
}

export function newMetadata(object: ApiObject, facts: { readonly uid: string; readonly created: string }): ApiObject {
  return withMetadata(object, {
    uid: facts.uid,
    creationTimestamp: facts.created,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  })
}

/** Restores fields from the old object that the client omitted or cannot change. */
export function preserveMetadata(object: ApiObject, old: ApiObject): ApiObject {
  const { metadata } = object
  const before = old.metadata
  return withMetadata(object, {
    uid: metadata.uid || before.uid,
    creationTimestamp: metadata.creationTimestamp || before.creationTimestamp,
    deletionTimestamp: before.deletionTimestamp ?? metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? before.deletionGracePeriodSeconds,
    generateName: metadata.generateName ?? before.generateName,
  })
}

export function validateMetadata(resource: ServedResource, metadata: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = []
  if (metadata.generateName !== undefined && metadata.generateName !== '') {
    for (const fault of resource.strategy.validateName(metadata.generateName, true)) {
      errors.push(invalid('metadata.generateName', metadata.generateName, fault))
    }
  }
  if (!metadata.name) errors.push(required('metadata.name', 'name or generateName is required'))
  else {
    for (const fault of resource.strategy.validateName(metadata.name, false)) {
      errors.push(invalid('metadata.name', metadata.name, fault))
    }
  }
  if (!resource.namespaced && metadata.namespace) {
    errors.push(forbiddenValue('metadata.namespace', 'not allowed on this type'))
  }
  return [...errors, ...validateCommon(resource, metadata)]
}

function validateCommon({ strategy }: ServedResource, metadata: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = []
  append(errors, validateLabels(metadata.labels ?? {}), validateAnnotations(metadata.annotations ?? {}))
  append(errors, validateOwners(metadata))
  for (const [index, finalizer] of (metadata.finalizers ?? []).entries()) {
    const faults = validateLabelKey(finalizer)
    append(
      errors,
      faults.map((fault) => invalid(`metadata.finalizers[${index}]`, finalizer, fault)),
    )
    if (
      faults.length === 0 &&
      strategy.plainFinalizers !== true &&
      !finalizer.includes('/') &&
      !['orphan', 'foregroundDeletion', 'kubernetes'].includes(finalizer)
    ) {
      errors.push(
        invalid(
          `metadata.finalizers[${index}]`,
          finalizer,
          'name is neither a standard finalizer name nor is it fully qualified',
        ),
      )
    }
  }
  if (metadata.finalizers?.includes('orphan') && metadata.finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalid(
        'metadata.finalizers',
        [...metadata.finalizers],
        'finalizer orphan and foregroundDeletion cannot be both set',
      ),
    )
  }
  return errors
}

function validateLabels(labels: Readonly<Record<string, string>>): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels)) {
    append(
      errors,
      validateLabelKey(key).map((fault) => invalid('metadata.labels', key, fault)),
    )
    append(
      errors,
      validateLabelValue(value).map((fault) => invalid('metadata.labels', value, fault)),
    )
  }
  return errors
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): readonly FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(annotations)) {
    append(
      errors,
      validateLabelKey(key.toLowerCase()).map((fault) => invalid('metadata.annotations', key, fault)),
    )
    size += key.length + value.length
  }
  if (size > 256 * 1024) errors.push(tooLong('metadata.annotations', 256 * 1024))
  return errors
}

function validateOwners(metadata: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = []
  const owners = metadata.ownerReferences ?? []
  for (const owner of owners) {
    const field = 'metadata.ownerReferences'
    const [group = '', version] = (owner.apiVersion ?? '').split('/')
    if (group === '' && version === undefined) {
      errors.push(invalid(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'))
    }
    if (!owner.kind) errors.push(invalid(`${field}.kind`, owner.kind ?? '', 'must not be empty'))
    if (!owner.name) errors.push(invalid(`${field}.name`, owner.name ?? '', 'must not be empty'))
    if (!owner.uid) errors.push(invalid(`${field}.uid`, owner.uid ?? '', 'must not be empty'))
  }
  const controllers = owners.filter((owner) => owner.controller === true)
  if (controllers.length > 1) {
    const [first, second] = controllers
    errors.push(
      invalid(
        'metadata.ownerReferences',
        [...owners],
        `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`,
      ),
    )
  }
  return errors
}

export function validateMetadataUpdate(
  resource: ServedResource,
  metadata: ObjectMeta,
  old: ObjectMeta,
): readonly FieldError[] {
  const errors: FieldError[] = []
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers ?? [])
    const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer))
    if (added.length > 0) {
      errors.push(
        forbiddenValue(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
        ),
      )
    }
  }
  const fields = [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const
  for (const field of fields) {
    if (equal(metadata[field], old[field])) continue
    errors.push(invalid(`metadata.${field}`, metadata[field] ?? null, 'field is immutable'))
  }
  return [...errors, ...validateCommon(resource, metadata)]
}
