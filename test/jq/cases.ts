/**
 * Reads the test files of jq: a program, an input and the expected outputs, or after `%%FAIL` the expected message.
 */
export interface Case {
  readonly line: number
  readonly program: string
  readonly input: string
  readonly outputs: readonly string[]
}

export interface FailingCase {
  readonly line: number
  readonly program: string
  /** Undefined when the message is not compared. */
  readonly message: string | undefined
}

export function readCases(text: string): { cases: Case[]; failing: FailingCase[] } {
  const cases: Case[] = []
  const failing: FailingCase[] = []
  const lines = text.split('\n')
  let at = 0
  const isSkipped = (line: string) => line === '' || /^\s*(#|$)/.test(line)
  const block = () => {
    const taken: string[] = []
    for (let line = lines[at]; line !== undefined && line.trim() !== ''; line = lines[++at]) taken.push(line)
    return taken
  }
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (isSkipped(line)) continue
    const number = at + 1
    if (line.startsWith('%%FAIL')) {
      at += 1
      const [program = '', ...message] = block()
      failing.push({ line: number, program, message: line.includes('IGNORE MSG') ? undefined : message.join('\n') })
    } else {
      const [program = '', input = 'null', ...outputs] = block()
      cases.push({ line: number, program, input, outputs: outputs.filter((output) => !output.startsWith('#')) })
    }
  }
  return { cases, failing }
}
