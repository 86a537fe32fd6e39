/**
 * Provides a chart for helm: writes it from the item or from an OCI layout on disk, or tells helm where to fetch it. Returns the arguments
 * that name the chart in a helm call.
 */
import type { HelmRun } from '../../../helm/index.ts'
import { toYaml } from '../../../kube/index.ts'
import {
  CarabinerError,
  type Files,
  fromBase64,
  isJsonObject,
  type Json,
  type JsonObject,
  redactText,
} from '../../../runtime/index.ts'
import { configurationProblem, LandscaperError } from '../../library/errors.ts'
import type { Chart } from './configuration.ts'
import { chartInLayout } from './oci-layout.ts'
import type { HelmSettings } from './program.ts'

export interface ChartInput {
  readonly run: HelmRun
  readonly files: Files
  readonly settings: HelmSettings
  /** The credentials for chart repositories from the Context. */
  readonly repositoryCredentials: Json | undefined
  readonly signal: AbortSignal
}

export async function chartArguments(chart: Chart, material: ChartInput): Promise<readonly string[]> {
  switch (chart.kind) {
    case 'archive':
      return [await material.run.write('chart.tgz', decoded(chart.base64))]
    case 'url':
      return [chart.url]
    case 'oci':
      return await ociChart(chart.reference, material)
    case 'repository':
      return await repositoryChart(chart, material)
  }
}

async function ociChart(reference: string, { run, files, settings }: ChartInput): Promise<readonly string[]> {
  const { repository, tag } = splitReference(reference)
  for (const [prefix, folder] of Object.entries(settings.ociFolders ?? {})) {
    if (repository !== prefix && !repository.startsWith(`${prefix}/`)) continue
    const layout = `${folder}${repository.slice(prefix.length)}`
    try {
      return [await run.write('chart.tgz', await chartInLayout(files, layout, tag))]
    } catch (error) {
      if (!(error instanceof CarabinerError)) throw error
      throw configurationProblem('FetchChart', `spec.config.chart.ref "${reference}": ${error.message}`, error)
    }
  }
  return [`oci://${repository}`, ...(tag === undefined ? [] : [`--version=${tag}`])]
}

/** Looks for the tag only after the last slash, because the host may have a port. */
function splitReference(reference: string): { readonly repository: string; readonly tag: string | undefined } {
  const slash = reference.lastIndexOf('/')
  const colon = reference.indexOf(':', slash + 1)
  if (colon === -1) return { repository: reference, tag: undefined }
  return { repository: reference.slice(0, colon), tag: reference.slice(colon + 1) }
}

async function repositoryChart(
  { url, name, version }: Chart & { readonly kind: 'repository' },
  { run, repositoryCredentials, signal }: ChartInput,
): Promise<readonly string[]> {
  const entry = { name: 'repository', url, ...(await credentialsFor(url, repositoryCredentials, run)) }
  await run.write(
    'repositories.yaml',
    toYaml({ apiVersion: '', generated: '0001-01-01T00:00:00Z', repositories: [entry] }),
  )
  const output = await run.call({ args: ['repo', 'update', 'repository'], signal })
  // Helm exits with 0 when a repository does not answer, and only a later call fails because the index is missing.
  const refusal = /^\S*Unable to get an update from [^\n]*\n\s*([^\n]+)/m.exec(output)?.[1]
  if (refusal !== undefined)
    throw new LandscaperError('FetchChart', 'HelmFailed', `helm repo update: ${redactText(refusal)}`)
  return [`repository/${name}`, ...(version === undefined || version === '' ? [] : [`--version=${version}`])]
}

/** The credentials with the longest URL that the repository URL starts with. */
async function credentialsFor(url: string, credentials: Json | undefined, run: HelmRun): Promise<JsonObject> {
  const auths = isJsonObject(credentials) && Array.isArray(credentials['auths']) ? credentials['auths'] : []
  const fitting = (auths as readonly Json[])
    .filter(isJsonObject)
    .filter((auth) => typeof auth['url'] === 'string' && url.startsWith(auth['url']))
    .sort((a, b) => String(b['url']).length - String(a['url']).length)
  const [auth] = fitting
  if (auth === undefined) return {}
  const { authHeader, customCAData } = auth
  const caFile = typeof customCAData === 'string' ? { caFile: await run.write('repository-ca.pem', customCAData) } : {}
  if (typeof authHeader !== 'string' || authHeader === '') return caFile
  const basic = /^Basic\s+(\S+)$/i.exec(authHeader)?.[1]
  const plain = basic === undefined ? undefined : new TextDecoder().decode(decoded(basic))
  const colon = plain?.indexOf(':') ?? -1
  if (plain === undefined || colon === -1)
    throw configurationProblem(
      'FetchChart',
      'configurations.helmChartRepoCredentials of the Context has an authHeader that is not of the form "Basic …", the only one helm understands.',
    )
  return { ...caFile, username: plain.slice(0, colon), password: plain.slice(colon + 1) }
}

function decoded(base64: string): Uint8Array {
  try {
    return fromBase64(base64)
  } catch (error) {
    throw configurationProblem('FetchChart', 'spec.config.chart.archive.raw is not base64.', error)
  }
}
