/** The schema of the ledger in a policy's status. The engine alone writes it; the schema keeps a slip of ours from being pruned away unseen. */
import type { Schema } from '../../schema/index.ts'

const text: Schema = { type: 'string' }
const time: Schema = { type: 'string', format: 'date-time' }

const hook: Schema = {
  type: 'object',
  required: ['name', 'point', 'state', 'attempts'],
  properties: {
    name: text,
    point: text,
    state: { type: 'string', enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Ignored', 'Cancelled'] },
    attempts: { type: 'integer', minimum: 0 },
    disruptions: { type: 'integer', minimum: 0 },
    starter: text,
    object: { type: 'object', properties: { kind: text, name: text, uid: text } },
    startedAt: time,
    endedAt: time,
    retryAt: time,
    reason: text,
    message: text,
  },
}

export const ledgerSchema: Schema = {
  type: 'object',
  required: ['id', 'type', 'phase', 'to', 'templateHash', 'startedAt', 'hooks'],
  properties: {
    id: text,
    type: { type: 'string', enum: ['ROLLOUT', 'ROLLBACK', 'UNDO', 'RESTART', 'CREATE'] },
    phase: {
      type: 'string',
      enum: ['Pending', 'Progressing', 'Finishing', 'Complete', 'Aborted', 'Cancelled'],
    },
    point: text,
    waitingFor: text,
    from: text,
    to: text,
    templateHash: text,
    workload: { type: 'object', properties: { uid: text, generation: { type: 'integer' } } },
    startedAt: time,
    endedAt: time,
    message: text,
    moved: { type: 'boolean' },
    movingSince: time,
    saved: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    undo: { type: 'object', properties: { to: text, templateHash: text } },
    undoOf: text,
    hooks: { type: 'array', maxItems: 64, items: hook },
  },
}
