/** What hooks print: the logs of their pods, the lines of their processes, and the Secrets that are taken out of both. */
export { type HookCarrier, podsOf, readHookLog } from './hook-log.ts'
export { LastLines } from './last-lines.ts'
export { eachLine, maxLineLength } from './lines.ts'
export type { LogLine } from './log-line.ts'
export { type LogSource, logSourceOf, type PodForLogs } from './log-source.ts'
export { type SecretUser, secretsOf, secretValues, withoutSecrets } from './secrets.ts'
