/** The actions that are objects of the cluster: a Job of its author's own, and a pod derived from a workload's template. */
import type { KubeObject, OwnerReference } from '../../kube/index.ts'
import type { Schema } from '../../schema/index.ts'
import { objectName, type Run } from '../run/index.ts'
import { anything } from './anything.ts'

/** Compiled: the Job or pod to create. */
export interface ObjectAction {
  readonly object: KubeObject
}

/** What a surface adds to the metadata of a run's object. The owner proves later that the object is the run's own. */
export interface ObjectDetails {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences: OwnerReference[]
}

export function jobAction(run: Run, details: ObjectDetails, spec: object): ObjectAction {
  return { object: { apiVersion: 'batch/v1', kind: 'Job', metadata: metadataOf(run, details), spec } as KubeObject }
}

export function podAction(run: Run, details: ObjectDetails, spec: object): ObjectAction {
  return { object: { apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(run, details), spec } as KubeObject }
}

function metadataOf(run: Run, details: ObjectDetails) {
  return { name: objectName(run), namespace: run.subject.namespace, ...details }
}

export const jobSchema: Schema = { ...anything, required: ['template'], properties: { template: anything } }

export const podSchema: Schema = {
  type: 'object',
  required: ['containerName', 'command'],
  properties: {
    containerName: { type: 'string', minLength: 1, maxLength: 63 },
    command: { type: 'array', minItems: 1, maxItems: 128, items: { type: 'string', maxLength: 65536 } },
    env: {
      type: 'array',
      maxItems: 128,
      items: { ...anything, required: ['name'], properties: { name: { type: 'string', maxLength: 256 } } },
    },
    volumes: { type: 'array', maxItems: 64, items: { type: 'string', maxLength: 63 } },
    labels: { type: 'object', maxProperties: 64, additionalProperties: { type: 'string', maxLength: 63 } },
    annotations: { type: 'object', maxProperties: 64, additionalProperties: { type: 'string', maxLength: 65536 } },
  },
}
