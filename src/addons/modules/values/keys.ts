/** The keys of a module in values: `node-exporter` has its values under `nodeExporter` and is enabled by `nodeExporterEnabled`. */

/** The section of values for all modules. */
export const globalKey = 'global'

const flagSuffix = 'Enabled'

export function keyOfModule(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function flagKey(key: string): string {
  return key + flagSuffix
}

/** The key of the module that a flag enables or disables; undefined when the key is not a flag. */
export function moduleOfFlag(flag: string): string | undefined {
  return flag.length > flagSuffix.length && flag.endsWith(flagSuffix) ? flag.slice(0, -flagSuffix.length) : undefined
}
