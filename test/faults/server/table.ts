/** Prints the results of all faults as a table. */
import type { Row } from './scenario.ts'

export function printTable(rows: readonly Row[]): void {
  const titles = ['fault', 'lists', 'probes', 'watches', 'events sent', 'lost', 'doubled']
  const cells = rows.map((row) =>
    [row.fault, row.lists, row.probes, row.watches, row.sent, row.lost, row.doubled].map(String),
  )
  const widths = titles.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join(' | ')
  const rule = widths.map((width) => '-'.repeat(width)).join('-|-')
  process.stdout.write(`\n${[line(titles), rule, ...cells.map(line)].join('\n')}\n`)
}
