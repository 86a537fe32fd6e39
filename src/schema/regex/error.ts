/** A regular expression that RE2 would refuse, in its words. */
export class RegexSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegexSyntaxError'
  }
}
