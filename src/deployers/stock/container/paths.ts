/** Where a container finds what it is given and leaves what it made: the paths and variables that images rely on. */
export const folders = {
  shared: '/data/ls/shared',
  internal: '/data/ls/internal',
  /** What the last run left as its state, in pieces. */
  chunks: '/data/ls/chunks',
  registrySecrets: '/data/ls/registry_secrets',
} as const

export type Operation = 'RECONCILE' | 'DELETE'

export function environment(operation: Operation): readonly { readonly name: string; readonly value: string }[] {
  const { shared, internal, registrySecrets } = folders
  return Object.entries({
    OPERATION: operation,
    IMPORTS_PATH: `${shared}/imports/import.json`,
    EXPORTS_PATH: `${shared}/exports/values`,
    STATE_PATH: `${shared}/state`,
    CONTENT_PATH: `${shared}/content`,
    COMPONENT_DESCRIPTOR_PATH: `${shared}/component_descriptor.json`,
    CONFIGURATION_PATH: `${internal}/configuration.json`,
    REGISTRY_SECRETS_DIR: registrySecrets,
  }).map(([name, value]) => ({ name, value }))
}
