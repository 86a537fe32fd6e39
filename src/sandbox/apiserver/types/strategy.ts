/** The strategy of a built-in kind, composed of type model, defaults, preparation, validation and tables. */
import { equal } from '../../../patch/index.ts'
import type { Json } from '../../../runtime/index.ts'
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

/** Kinds with metadata.generation. */
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

  /** Decodes the result of a conversion as its new type, so that empty fields are added or dropped accordingly. */
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
    const hasGeneration = generations.has(id)
    return {
      prepareForCreate: (object) => {
        const bare =
          hasStatus && preparation.createsStatus !== true ? withField(object, 'status', emptyStatus()) : object
        const prepared = preparation.create?.(bare) ?? bare
        // Set defaults again for fields that the status reset or the preparation left unset.
        return defaulted(withMetadata(prepared, { generation: hasGeneration ? 1 : undefined }))
      },
      prepareForUpdate: (object, old, subresource) => {
        const kept = keptParts(object, old, subresource, hasStatus)
        const prepared = preparation.update?.(kept, old, subresource) ?? kept
        if (!hasGeneration) return prepared
        const isNew =
          subresource !== 'status' &&
          (isRespecified(prepared, old) || preparation.isNewGeneration?.(prepared, old) === true)
        return withMetadata(prepared, { generation: (old.metadata.generation ?? 1) + (isNew ? 1 : 0) })
      },
    }
  }
}

/** A write through the status subresource changes only status and metadata; any other write keeps the status. */
function keptParts(object: ApiObject, old: ApiObject, subresource: string, hasStatus: boolean): ApiObject {
  if (subresource === 'status') return withField({ ...old, metadata: object.metadata }, 'status', object['status'])
  return hasStatus ? withField(object, 'status', old['status']) : object
}

const outsideSpec = new Set(['apiVersion', 'kind', 'metadata', 'status'])

function isRespecified(object: ApiObject, old: ApiObject): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(old)])
  return [...names].some((name) => !outsideSpec.has(name) && !equal(object[name] ?? null, old[name] ?? null))
}
