/** The actions that are objects of the cluster: a Job of its author's own, and a pod derived from a workload's template. */
import type { KubeObject } from '../../kube/object.ts'
import type { Schema } from '../../schema/schema.ts'
import { anything } from './anything.ts'

/** Compiled: the Job or pod to create, named after its run and owned by what it is about. */
export interface ObjectAction {
  readonly object: KubeObject
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
  },
}
