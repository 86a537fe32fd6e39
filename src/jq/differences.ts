/**
 * The intended differences to jq 1.8. A test compares the list with the reference page; all test suites of jq pass.
 */
export interface Difference {
  readonly what: string
  readonly why: string
}

export const differences: readonly Difference[] = [
  {
    what: 'Keys that look like whole numbers come first, in rising order, wherever the order of keys shows without sorting.',
    why: 'Objects are plain JavaScript objects, which order such keys so.',
  },
  {
    what: 'A run has a budget of steps and of depth; jq runs until memory ends.',
    why: 'A filter of a hook must not stop the process it runs in.',
  },
  {
    what: 'Regular expressions are translated to those of JavaScript: no calls of groups (`\\g<name>`), no options inside a pattern except a leading `(?i)`, atomic groups and possessive repeats may give back what they matched.',
    why: 'The JavaScript engine is fast and supports the rest; patterns that could take exponential time use our own engine, which counts against the budget.',
  },
  {
    what: 'Functions such as `exp2`, `pow` and `sin` may differ in the last digit, `gamma`, `erf` and the Bessel functions in the last few.',
    why: 'JavaScript does not define their precision, and lacks some of them.',
  },
  {
    what: '`repeat(f)` gives its input, then `f` of it, and so on, as the manual says.',
    why: 'The tested release evaluates `f` on the first input without end.',
  },
  {
    what: 'With several outputs of the initial state, every `reduce` sees the same input.',
    why: 'jq gives null to the source from the second on.',
  },
  {
    what: '`break` passes through `?//` to its label.',
    why: 'jq takes it for an error of the pattern and tries the next alternative.',
  },
  {
    what: '`.a?//b` is read as `.a? // b`, and `toarray`, `ascii`, `@base32d`, `date`, `dateadd`, `datesub` exist.',
    why: 'The manual or other implementations have them; jq refuses such programs.',
  },
  {
    what: 'A comma after the last entry of an object is allowed: `{a: 1, b: 2,}`. Not in arrays, patterns and arguments.',
    why: 'gojq, with which many filters of hooks were written, allows it there.',
  },
  {
    what: '`now` is 0, local time is UTC, `$ENV` is empty and `input` is at its end unless the caller gives them.',
    why: 'The engine has no access to the process environment.',
  },
]
