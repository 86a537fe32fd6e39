/** One line a run has printed. */
export interface LogLine {
  /** `stdout` or `stderr` of a process or function; the name of the object otherwise. */
  readonly source: string
  readonly text: string
}
