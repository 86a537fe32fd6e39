/** The executors that the conformance suite covers, and the table of what each promises. */
import type { ExecutorFamily } from '../executor.ts'
import { promises } from './promises.ts'

export const families: Readonly<Record<string, ExecutorFamily>> = {
  job: 'declared',
  pod: 'declared',
  http: 'attended',
  process: 'attended',
  function: 'attended',
  approval: 'awaited',
}

/** Executor × promise, as Markdown. */
export function conformanceTable(): string {
  const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    row('executor', 'family', ...promises.map(({ name }) => name)),
    `|${'---|'.repeat(promises.length + 2)}`,
    ...Object.entries(families).map(([name, family]) =>
      row(`\`${name}\``, family, ...promises.map(({ says }) => says[family] ?? '–')),
    ),
  ].join('\n')
}
