/** The configuration of the container deployer: the image and its input. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { type ContinuousReconcileSpec, continuousSchedule } from '../../hooks/continuous.ts'
import type { EmbeddedResource } from '../../resources/types.ts'
import { decodeConfiguration } from '../configuration/decode.ts'
import { anything, continuousReconcile, list, name, object, text } from '../configuration/schemas.ts'

export const containerGroup = 'container.deployer.landscaper.gardener.cloud'

export interface ContainerSettings {
  /** The namespace of the pods on the host cluster. @default the namespace of the item */
  readonly namespace?: string
  /** For items without an image. @default ubuntu:18.04 */
  readonly defaultImage?: string
  /** Must contain `sh` and `tar`. @default busybox:1.37 */
  readonly initImage?: string
  /** Must contain `sh`, `tar`, `split` and `kubectl`. @default alpine/k8s:1.34.1 */
  readonly waitImage?: string
  /** Keeps pods that have ended, for debugging. @default false */
  readonly keepPods?: boolean
}

export interface ContainerConfiguration {
  readonly image: string | undefined
  readonly command: readonly string[] | undefined
  readonly args: readonly string[] | undefined
  readonly importValues: Json
  readonly componentDescriptor: Json | undefined
  /** The content of each file, by path. */
  readonly content: Readonly<Record<string, string>>
}

const embedded = { type: 'object', ...anything }

const schemas = {
  v1alpha1: object({
    image: name,
    command: list(text),
    args: list(text),
    importValues: anything,
    blueprint: embedded,
    componentDescriptor: embedded,
    registryPullSecrets: list(object({ name, namespace: text }, ['name'])),
    continuousReconcile,
  }),
}

interface Spec {
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly importValues?: Json
  readonly blueprint?: { readonly inline?: { readonly filesystem?: Json } }
  readonly componentDescriptor?: { readonly inline?: Json }
  readonly continuousReconcile?: ContinuousReconcileSpec
}

export function decodeContainer(config: EmbeddedResource | undefined): ContainerConfiguration {
  const spec = decodeConfiguration(config, containerGroup, schemas).config as unknown as Spec
  if (spec.continuousReconcile !== undefined) continuousSchedule(spec.continuousReconcile)
  return {
    image: spec.image,
    command: spec.command,
    args: spec.args,
    importValues: spec.importValues === undefined ? {} : spec.importValues,
    componentDescriptor: spec.componentDescriptor?.inline,
    content: filesIn(spec.blueprint?.inline?.filesystem, ''),
  }
}

/** A nested object is a folder. */
function filesIn(value: Json | undefined, path: string): Record<string, string> {
  if (typeof value === 'string') return { [path]: value }
  if (!isJsonObject(value)) return {}
  const parts = Object.entries(value).map(([key, below]) => filesIn(below, path === '' ? key : `${path}/${key}`))
  return Object.assign({}, ...parts) as Record<string, string>
}
