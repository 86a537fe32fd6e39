/** A regular expression that RE2 rejects, with its message. */
export class RegexSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegexSyntaxError'
  }
}
