/**
 * One table of everything that can go wrong for a user: a stable code, what it means, what to do. `docs/reference/errors.md` is
 * generated from it. Messages name the file or object, the field and the value; the remedy is written for someone at 3 a.m.
 */
export const errorTable = {
  CRB_INTERNAL: { exit: 1, meaning: 'A defect in Carabiner.', remedy: 'Run again with --debug and report the output.' },
  CRB_USAGE: { exit: 2, meaning: 'The command line is not understood.', remedy: 'See --help of the command.' },
  CRB_FILE_NOT_FOUND: { exit: 1, meaning: 'A file that was named does not exist.', remedy: 'Check the path.' },
  CRB_FILE_UNREADABLE: {
    exit: 1,
    meaning: 'A file cannot be read or written.',
    remedy: 'Check owner and mode of the path.',
  },
  CRB_YAML_MALFORMED: {
    exit: 1,
    meaning: 'A file is not valid YAML or JSON.',
    remedy: 'Mend the line that the message names.',
  },
  CRB_PORT_IN_USE: {
    exit: 1,
    meaning: 'Another program listens on the port.',
    remedy: 'Stop that program or choose another port; --port 0 takes any free one.',
  },
} as const satisfies Record<string, { exit: number; meaning: string; remedy: string }>

export type ErrorCode = keyof typeof errorTable

export interface ErrorDetails {
  readonly cause?: unknown
  /** Replaces the table's remedy where the place knows better. */
  readonly remedy?: string
}

/** An error meant for a user. `final` errors stay wrong when repeated; the others may go away by themselves. */
export class CarabinerError extends Error {
  readonly code: ErrorCode
  readonly remedy: string

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CarabinerError'
    this.code = code
    this.remedy = details.remedy ?? errorTable[code].remedy
  }
}
