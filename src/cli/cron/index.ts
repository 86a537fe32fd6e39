/** `carabiner cron next`: explains a schedule and prints when it fires, with the implementation that the operator uses. */
import { Command } from 'commander'
import { parse, type Schedule } from '../../cron/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'

interface NextOptions {
  readonly count: string
  readonly from?: string
  readonly tz?: string
  readonly output?: string
}

const maxTimes = 10_000

export function command(context: CliContext): Command {
  const cron = new Command('cron').description('Cron expressions of the operator')
  cron
    .command('next')
    .description('Explains a schedule and prints the next times at which it fires.')
    .argument('<expression>', 'for example "0 30 12 * * MON-FRI", "@every 90s" or "TZ=Europe/Berlin @daily"')
    .option('-n, --count <number>', 'number of times to print', '5')
    .option('--from <time>', 'print the times after this one, for example 2026-03-08T00:00:00Z (default: now)')
    .option(
      '--tz <zone>',
      'time zone of an expression without TZ= and of the printed times (default: the zone of this process)',
    )
    .option('-o, --output <format>', 'json')
    .action((expression: string, options: NextOptions) => {
      const count = readCount(options.count)
      const from = options.from === undefined ? context.runtime.clock.now() : readTime(options.from)
      if (options.output !== undefined && options.output !== 'json') {
        throw new CarabinerError('CRB_USAGE', `-o ${options.output}: the only other format is json`)
      }
      const schedule = parse(expression, { anchor: from, ...(options.tz === undefined ? {} : { zone: options.tz }) })
      const times = firings(schedule, from, count)
      const text = options.output === 'json' ? asJson(schedule, times) : asText(schedule, times, options.tz)
      context.stdout.write(text)
    })
  return cron
}

function firings(schedule: Schedule, from: number, count: number): number[] {
  const times: number[] = []
  for (
    let at: number | undefined = schedule.next(from);
    at !== undefined && times.length < count;
    at = schedule.next(at)
  ) {
    times.push(at)
  }
  return times
}

function asJson(schedule: Schedule, times: readonly number[]): string {
  const next = times.map((time) => new Date(time).toISOString())
  return `${JSON.stringify({ expression: schedule.text, description: schedule.describe(), zone: schedule.zone ?? null, next }, null, 2)}\n`
}

function asText(schedule: Schedule, times: readonly number[], tz: string | undefined): string {
  const zone = schedule.zone ?? tz
  const lines = times.map((time) => `${localTime(time, zone)}  ${new Date(time).toISOString().replace('.000Z', 'Z')}`)
  const none = times.length === 0 ? ['does not fire within five years'] : []
  return [schedule.describe(), ...lines, ...none, ''].join('\n')
}

/** For example `Mon 2026-11-02 12:30:00 GMT-05:00`. */
function localTime(time: number, zone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(zone === undefined ? {} : { timeZone: zone }),
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? ''
  const date = `${part('year')}-${part('month')}-${part('day')}`
  return `${part('weekday')} ${date} ${part('hour')}:${part('minute')}:${part('second')} ${part('timeZoneName').replace(/^GMT$/, 'GMT+00:00')}`
}

function readCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= maxTimes) return count
  throw new CarabinerError('CRB_USAGE', `-n ${text}: expected a number from 1 to ${maxTimes}`)
}

function readTime(text: string): number {
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new CarabinerError('CRB_USAGE', `--from ${text}: expected a time such as 2026-03-08T00:00:00Z`)
}
