/** The action that is a program on the machine of this process. */
import type { Schema } from '../../schema/index.ts'
import type { LogLine } from '../logs/index.ts'

/** Compiled: the whole command. */
export interface ProcessAction {
  readonly command: string
  readonly args?: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Milliseconds until the process is sent SIGTERM. @default none */
  readonly timeout?: number
  /** Called for each line as it is printed. */
  readonly onLine?: (line: LogLine) => void
  /** Characters after which a line is cut. @default 10,000 */
  readonly lineLimit?: number
}

const text: Schema = { type: 'string' }

export const processSchema: Schema = {
  type: 'object',
  required: ['command'],
  properties: {
    command: { type: 'array', minItems: 1, items: text },
    workingDir: text,
    env: { type: 'object', additionalProperties: text },
  },
}
