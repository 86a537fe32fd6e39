/** The configuration of the helm deployer: the chart, the release name, the values and the options of helm calls. */
import { dnsLabel, maxLabelLength } from '../../../kube/index.ts'
import type { Json, JsonObject } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'
import type { EmbeddedResource } from '../../resources/types.ts'
import { type ApplyConfiguration, compileApply, compileExports } from '../configuration/compile.ts'
import { decodeConfiguration, problem } from '../configuration/decode.ts'
import {
  type ApplySpec,
  anything,
  applyProperties,
  duration,
  type ExportSpec,
  exportList,
  flag,
  object,
  text,
} from '../configuration/schemas.ts'

export const helmGroup = 'helm.deployer.landscaper.gardener.cloud'

/** The source of a chart. */
export type Chart =
  | { readonly kind: 'oci'; readonly reference: string }
  | { readonly kind: 'archive'; readonly base64: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'repository'; readonly url: string; readonly name: string; readonly version: string | undefined }

export interface CallOptions {
  readonly atomic: boolean
  readonly wait: boolean
  readonly force: boolean
  readonly skipSchemaValidation: boolean
  readonly takeOwnership: boolean
  /** In helm's format. */
  readonly timeout: string
}

export interface HelmConfiguration extends ApplyConfiguration {
  readonly chart: Chart
  readonly name: string
  readonly namespace: string
  readonly createNamespace: boolean
  readonly values: JsonObject
  /** True to install a helm release; false to only render the chart and apply the objects like manifests. */
  readonly isRelease: boolean
  readonly install: CallOptions
  readonly upgrade: CallOptions
  readonly uninstallTimeout: string
}

/** Values passed to helm as arguments must not look like an option or a path. */
const argument = (pattern: string): Schema => ({ type: 'string', pattern, maxLength: 500 })
const releaseName = { ...argument('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'), maxLength: 53 }
const namespaceName = { ...argument(dnsLabel.source), maxLength: maxLabelLength }

const callOptions = object({
  atomic: flag,
  wait: flag,
  force: flag,
  skipSchemaValidation: flag,
  takeOwnership: flag,
  timeout: duration,
})

export const helmSchemas = {
  v1alpha1: object(
    {
      ...applyProperties,
      chart: object({
        ref: text,
        fromResource: { type: 'object', ...anything },
        resourceRef: text,
        archive: object({ raw: text, remote: object({ url: argument('^https?://') }, ['url']) }),
        helmChartRepo: object(
          {
            helmChartRepoUrl: argument('^https?://'),
            helmChartName: argument('^[a-zA-Z0-9][-a-zA-Z0-9._]*$'),
            helmChartVersion: text,
          },
          ['helmChartRepoUrl', 'helmChartName'],
        ),
      }),
      name: releaseName,
      namespace: namespaceName,
      createNamespace: flag,
      values: { type: 'object', ...anything },
      helmDeployment: flag,
      helmDeploymentConfig: object({
        install: callOptions,
        upgrade: callOptions,
        uninstall: object({ timeout: duration }),
      }),
      exportsFromManifests: exportList,
    },
    ['chart', 'name', 'namespace'],
  ),
}

interface ChartSpec {
  readonly ref?: string
  readonly fromResource?: { readonly inline?: Json; readonly resourceName?: string }
  readonly resourceRef?: string
  readonly archive?: { readonly raw?: string; readonly remote?: { readonly url: string } }
  readonly helmChartRepo?: {
    readonly helmChartRepoUrl: string
    readonly helmChartName: string
    readonly helmChartVersion?: string
  }
}

type CallSpec = Partial<CallOptions>

interface Spec extends ApplySpec {
  readonly chart: ChartSpec
  readonly name: string
  readonly namespace: string
  readonly createNamespace?: boolean
  readonly values?: JsonObject
  readonly helmDeployment?: boolean
  readonly helmDeploymentConfig?: {
    readonly install?: CallSpec
    readonly upgrade?: CallSpec
    readonly uninstall?: { readonly timeout?: string }
  }
  readonly exportsFromManifests?: readonly ExportSpec[]
}

const defaultTimeout = '5m'

export function decodeHelm(config: EmbeddedResource | undefined): HelmConfiguration {
  const spec = decodeConfiguration(config, helmGroup, helmSchemas).config as unknown as Spec
  const common = compileApply(spec)
  const { install = {}, upgrade = {}, uninstall = {} } = spec.helmDeploymentConfig ?? {}
  const older = compileExports('spec.config.exportsFromManifests', spec.exportsFromManifests ?? [], undefined)
  return {
    ...common,
    exports: [...common.exports, ...older],
    chart: chartOf(spec.chart),
    name: spec.name,
    namespace: spec.namespace,
    createNamespace: spec.createNamespace ?? false,
    values: spec.values ?? {},
    isRelease: spec.helmDeployment ?? true,
    install: optionsOf(install),
    upgrade: optionsOf(upgrade),
    uninstallTimeout: uninstall.timeout ?? defaultTimeout,
  }
}

function optionsOf(spec: CallSpec): CallOptions {
  const { atomic = false, wait = false, force = false, skipSchemaValidation = false, takeOwnership = false } = spec
  return { atomic, wait, force, skipSchemaValidation, takeOwnership, timeout: spec.timeout ?? defaultTimeout }
}

function chartOf({ ref, fromResource, resourceRef, archive, helmChartRepo: repository }: ChartSpec): Chart {
  const field = 'spec.config.chart'
  const given = [ref, fromResource, resourceRef, archive, repository].filter((one) => one !== undefined)
  if (given.length !== 1) throw problem(field, 'needs exactly one of ref, fromResource, archive, helmChartRepo')
  if (ref !== undefined) return ociChart(`${field}.ref`, ref)
  if (repository !== undefined) {
    const { helmChartRepoUrl: url, helmChartName: name, helmChartVersion: version } = repository
    return { kind: 'repository', url, name, version }
  }
  if (archive?.raw !== undefined) return { kind: 'archive', base64: archive.raw }
  if (archive?.remote !== undefined) return { kind: 'url', url: archive.remote.url }
  if (archive !== undefined) throw problem(`${field}.archive`, 'has neither raw nor remote')
  const found = fromResource === undefined ? undefined : imageIn(fromResource)
  if (found === undefined)
    throw problem(`${field}.fromResource`, 'does not name an OCI image resource of an inline component descriptor')
  return ociChart(`${field}.fromResource`, found)
}

/** The reference becomes part of a path when charts are read from folders, so it must not contain `..`. */
function ociChart(field: string, given: string): Chart {
  const reference = given.replace(/^oci:\/\//, '')
  if (!/^[a-zA-Z0-9][-a-zA-Z0-9._:/@+]*$/.test(reference) || reference.includes('..'))
    throw problem(field, `is "${reference}", which is not an OCI reference`)
  return { kind: 'oci', reference }
}

interface Descriptor {
  readonly component?: {
    readonly resources?: readonly {
      readonly name?: string
      readonly access?: { readonly type?: string; readonly imageReference?: string }
    }[]
  }
}

function imageIn({ inline, resourceName }: NonNullable<ChartSpec['fromResource']>): string | undefined {
  const { resources = [] } = (inline as Descriptor | undefined)?.component ?? {}
  return resources.find(({ name }) => name === resourceName)?.access?.imageReference
}
