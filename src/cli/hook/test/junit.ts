/** Writes results as JUnit XML, which CI systems read. */
export interface CaseResult {
  readonly file: string
  readonly name: string
  readonly seconds: number
  /** Why the case failed; empty when it passed. */
  readonly failure: string
}

export function junit(results: readonly CaseResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))]
  const suites = files.map((file) => {
    const cases = results.filter((result) => result.file === file)
    return `  <testsuite ${numbers(file, cases)}>\n${cases.map(caseOf).join('')}  </testsuite>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${numbers('hooks', results)}>\n${suites.join('')}</testsuites>\n`
}

function caseOf({ file, name, seconds, failure }: CaseResult): string {
  const start = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds.toFixed(3)}"`
  if (failure === '') return `${start}/>\n`
  const [first = ''] = failure.split('\n')
  return `${start}>\n      <failure message="${escaped(first)}">${escaped(failure)}</failure>\n    </testcase>\n`
}

function numbers(name: string, results: readonly CaseResult[]): string {
  const failures = results.filter(({ failure }) => failure !== '').length
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0)
  return `name="${escaped(name)}" tests="${results.length}" failures="${failures}" time="${seconds.toFixed(3)}"`
}

/** Output of hooks may contain control characters, which XML does not allow even when escaped. */
function escaped(text: string): string {
  return text
    .replace(/\p{Cc}/gu, (character) => (/[\t\n]/.test(character) ? character : '\ufffd'))
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
}
