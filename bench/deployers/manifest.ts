/** A manifest item of five ConfigMaps. */
import type { DeployItem } from '../../src/deployers/resources/types.ts'

export const objectsPerItem = 5

export function manifestItem(target: string): (name: string, namespace: string) => DeployItem['spec'] {
  return (name, namespace) => ({
    type: 'landscaper.gardener.cloud/kubernetes-manifest',
    target: { name: target },
    config: {
      apiVersion: 'manifest.deployer.landscaper.gardener.cloud/v1alpha2',
      kind: 'ProviderConfiguration',
      manifests: Array.from({ length: objectsPerItem }, (_, index) => ({
        policy: 'manage',
        manifest: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `${name}-${index}`, namespace },
          data: { of: name },
        },
      })),
    },
  })
}
