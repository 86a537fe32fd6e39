/** Public exports of cron: parses expressions and computes firing times. */
export { type ParseOptions, parse } from './parse.ts'
export type { Schedule } from './schedule.ts'
