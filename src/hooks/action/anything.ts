/** The schema of objects that the API server validates when they are created, such as a pod template. */
import type { Schema } from '../../schema/index.ts'

export const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
