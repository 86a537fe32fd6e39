/** The paths and environment variables that images for the container deployer rely on. */
export const folders = {
  shared: '/data/ls/shared',
  internal: '/data/ls/internal',
  /** The chunks of the state that the last run left. */
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
