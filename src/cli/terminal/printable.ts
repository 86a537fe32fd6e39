/** Text from a cluster or a hook, safe for a terminal: as the text log shows it. */
export { printable, printableLine } from '../../runtime/index.ts'
