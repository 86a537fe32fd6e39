/** Public face of the cron room: expressions in, firing times out. */
export { type ParseOptions, parse } from './parse.ts'
export type { Schedule } from './schedule.ts'
