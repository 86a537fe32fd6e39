/**
 * The strategy of a built-in kind, put together from the type model, the defaults, the preparations, the validations and the tables.
 */
import { equal } from '../../../patch/index.ts'
import type { Json } from '../../../runtime/json.ts'
import { Defaulter } from '../defaults/defaulter.ts'
import { type ApiObject, withField, withMetadata } from '../object.ts'
import type { Conversion, Strategy } from '../resource.ts'
import { tableOf } from '../table/tables.ts'
import { validatorOf } from '../validation/validators.ts'
import { conversionOf } from './conversions.ts'
import { Decoder } from './decode.ts'
import { endpointRules } from './endpoint-rules.ts'
import type { ResourceFacts, TypeModel } from './model.ts'
import { nameRule } from './names.ts'
import {
  definitionPreparation,
  namespacePreparation,
  nodePreparation,
  pendingPreparation,
  volumePreparation,
} from './prepare/others.ts'
import { podPreparation } from './prepare/pods.ts'
import type { Preparation } from './prepare/preparation.ts'
import { ServiceAddresses, servicePreparation } from './prepare/services.ts'
import { daemonSetPreparation, deploymentPreparation, jobPreparation } from './prepare/workloads.ts'
import { KindSchemas } from './schemas.ts'
import { selectableFields } from './selectable.ts'
import { storageOf } from './storage.ts'

/** Kinds whose generation counts. */
const generations = new Set(
  [
    'admissionregistration.k8s.io/MutatingWebhookConfiguration',
    'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
    'apiextensions.k8s.io/CustomResourceDefinition',
    'apps/DaemonSet apps/Deployment apps/ReplicaSet apps/StatefulSet batch/CronJob batch/Job',
    'discovery.k8s.io/EndpointSlice networking.k8s.io/Ingress networking.k8s.io/IngressClass',
    'networking.k8s.io/NetworkPolicy policy/PodDisruptionBudget scheduling.k8s.io/PriorityClass',
    '/Pod /PodTemplate /ReplicationController',
  ].flatMap((line) => line.split(' ')),
)

export class BuiltinStrategies {
  readonly #model: TypeModel
  readonly #schemas: KindSchemas
  readonly #decoder: Decoder
  readonly #defaulter: Defaulter
  readonly #preparations: Readonly<Record<string, Preparation>>

  constructor(model: TypeModel) {
    this.#model = model
    this.#schemas = new KindSchemas(model)
    this.#decoder = new Decoder(model)
    this.#defaulter = new Defaulter(model)
    this.#preparations = {
      '/Pod': podPreparation,
      '/Service': servicePreparation(new ServiceAddresses()),
      '/Namespace': namespacePreparation,
      '/Node': nodePreparation,
      '/PersistentVolume': volumePreparation,
      '/PersistentVolumeClaim': pendingPreparation,
      'apiextensions.k8s.io/CustomResourceDefinition': definitionPreparation,
      'apps/DaemonSet': daemonSetPreparation,
      'apps/Deployment': deploymentPreparation,
      'batch/Job': jobPreparation,
    }
  }

  of(facts: ResourceFacts): Strategy {
    const { group, version, kind } = facts
    const definition = this.#model.kindDefinition(group, version, kind)
    if (definition === undefined) throw new Error(`no definition of ${group}/${version} ${kind}`)
    const defaulted = (object: ApiObject): ApiObject => this.#defaulter.defaulted(object, definition) as ApiObject
    const conversion = conversionOf(group, version, kind)
    return {
      schema: this.#schemas.ofKind(group, version, kind) ?? {},
      decode: (body) => this.#decoder.decode(body, facts),
      default: defaulted,
      ...this.#preparing(facts, (): Json => this.#decoder.emptyField(definition, 'status'), defaulted),
      validate: validatorOf(group, kind),
      validateName: nameRule(group, kind),
      selectableFields: selectableFields(group, kind),
      table: tableOf(facts),
      ...endpointRules(group, kind),
      ...(conversion === undefined ? {} : { conversion: this.#completed(conversion, facts, defaulted) }),
    }
  }

  /** What comes out of a conversion is written as the type it has become writes it. */
  #completed(conversion: Conversion, facts: ResourceFacts, defaulted: (object: ApiObject) => ApiObject): Conversion {
    return {
      toStorage: async (object) => {
        const { group, version, kind } = storageOf(facts)
        return this.#decoder.decode(await conversion.toStorage(object), { group, version, kind }).object
      },
      fromStorage: async (objects) =>
        (await conversion.fromStorage(objects)).map((object) => defaulted(this.#decoder.decode(object, facts).object)),
    }
  }

  #preparing(
    facts: ResourceFacts,
    emptyStatus: () => Json,
    defaulted: (object: ApiObject) => ApiObject,
  ): Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate'> {
    const id = `${facts.group}/${facts.kind}`
    const preparation = this.#preparations[id] ?? {}
    const hasStatus = facts.subresources?.['status'] !== undefined
    const counts = generations.has(id)
    return {
      prepareForCreate: (object) => {
        const bare =
          hasStatus && preparation.createsStatus !== true ? withField(object, 'status', emptyStatus()) : object
        const prepared = preparation.create?.(bare) ?? bare
        // What the status reset took away, or a preparation left open, is filled in as on any later read.
        return defaulted(withMetadata(prepared, { generation: counts ? 1 : undefined }))
      },
      prepareForUpdate: (object, old, subresource) => {
        const kept = keptParts(object, old, subresource, hasStatus)
        const prepared = preparation.update?.(kept, old, subresource) ?? kept
        if (!counts) return prepared
        const isNew =
          subresource !== 'status' &&
          (isRespecified(prepared, old) || preparation.isNewGeneration?.(prepared, old) === true)
        return withMetadata(prepared, { generation: (old.metadata.generation ?? 1) + (isNew ? 1 : 0) })
      },
    }
  }
}

/** A status write changes only the status (and metadata); any other write leaves the status alone. */
function keptParts(object: ApiObject, old: ApiObject, subresource: string, hasStatus: boolean): ApiObject {
  if (subresource === 'status') return withField({ ...old, metadata: object.metadata }, 'status', object['status'])
  return hasStatus ? withField(object, 'status', old['status']) : object
}

const outsideSpec = new Set(['apiVersion', 'kind', 'metadata', 'status'])

function isRespecified(object: ApiObject, old: ApiObject): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(old)])
  return [...names].some((name) => !outsideSpec.has(name) && !equal(object[name] ?? null, old[name] ?? null))
}
