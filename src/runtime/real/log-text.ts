/**
 * Log lines for people: time, level, message, then the fields as `name=value`. Reads pino's JSON and knows nothing about loggers.
 */
import picocolors from 'picocolors'

type Colors = ReturnType<typeof picocolors.createColors>

export function createTextPrinter(color: boolean): (line: string) => string {
  const colors = picocolors.createColors(color)
  return (line) => {
    const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
    const clock = time === undefined ? [] : [colors.dim(String(time).slice(11, 23))]
    const shown = Object.entries(fields).map(([name, value]) => field(name, value, colors))
    return `${[...clock, label(String(level), colors), String(msg), ...shown].join(' ')}\n`
  }
}

function label(level: string, colors: Colors): string {
  const text = level.toUpperCase().padEnd(5)
  switch (level) {
    case 'error':
      return colors.red(text)
    case 'warn':
      return colors.yellow(text)
    case 'info':
      return colors.green(text)
    default:
      return colors.dim(text)
  }
}

function field(name: string, value: unknown, colors: Colors): string {
  const told = (label: string, text: string) => `${colors.dim(`${label}=`)}${quoted(text)}`
  if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value) {
    // Whoever is told what to do need not know where in this program it was found out.
    if ('remedy' in value) return `${told(name, String(value.message))} ${told('remedy', String(value.remedy))}`
    // An error reads better as its message; the stack follows on lines of its own.
    const stack = String(value.stack).split('\n').slice(1).join('\n')
    return `${told(name, String(value.message))}${stack === '' ? '' : `\n${colors.dim(stack)}`}`
  }
  return typeof value === 'string' ? told(name, value) : `${colors.dim(`${name}=`)}${JSON.stringify(value)}`
}

function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : JSON.stringify(text)
}
