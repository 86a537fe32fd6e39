/**
 * Names of modules as keys of values: `node-exporter` is found under `nodeExporter`, and switched by `nodeExporterEnabled`.
 */

/** The section that all modules share. */
export const globalKey = 'global'

const flagEnd = 'Enabled'

export function keyOfModule(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function flagKey(key: string): string {
  return key + flagEnd
}

/** The key of the module that a flag switches; undefined for what is no flag. */
export function switchedBy(flag: string): string | undefined {
  return flag.length > flagEnd.length && flag.endsWith(flagEnd) ? flag.slice(0, -flagEnd.length) : undefined
}
