/** What a run is called: the one key that names, labels, journal entries, traces and log lines are derived from, and read back into. */
export { hookLabel, identityOf, type KeyParts, type ObjectIdentity, partsOfKey } from './identity.ts'
export { objectName, type Run, runKey } from './run.ts'
