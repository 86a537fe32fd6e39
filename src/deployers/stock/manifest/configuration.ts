/** The configuration of the manifest deployer: plain manifests in v1alpha1, manifests with a policy in v1alpha2. */
import type { Json } from '../../../runtime/index.ts'
import { type Policy, policies } from '../../apply/managed.ts'
import { type DesiredObject, readManifests } from '../../apply/manifests.ts'
import type { EmbeddedResource } from '../../resources/types.ts'
import { type ApplyConfiguration, compileApply } from '../configuration/compile.ts'
import { decodeConfiguration } from '../configuration/decode.ts'
import { type ApplySpec, anything, applyProperties, list, object } from '../configuration/schemas.ts'

export const manifestGroup = 'manifest.deployer.landscaper.gardener.cloud'

export interface ManifestConfiguration extends ApplyConfiguration {
  readonly desired: readonly DesiredObject[]
}

const embedded = { type: 'object', ...anything }

export const manifestSchemas = {
  v1alpha1: object({ ...applyProperties, manifests: list(embedded) }),
  v1alpha2: object({
    ...applyProperties,
    manifests: list(object({ policy: { type: 'string', enum: [...policies] }, manifest: embedded }, ['manifest'])),
  }),
}

interface Spec extends ApplySpec {
  readonly manifests?: readonly Json[]
}

export function decodeManifest(config: EmbeddedResource | undefined): ManifestConfiguration {
  const decoded = decodeConfiguration(config, manifestGroup, manifestSchemas)
  const spec = decoded.config as unknown as Spec
  const manifests = (spec.manifests ?? []).map((entry, index) => {
    const field = `spec.config.manifests[${index}]`
    if (decoded.version === 'v1alpha1') return { policy: 'manage' as const, manifest: entry, field }
    const { policy = 'manage', manifest } = entry as unknown as { policy?: Policy; manifest: Json }
    return { policy, manifest, field: `${field}.manifest` }
  })
  return { ...compileApply(spec), desired: readManifests(manifests) }
}
