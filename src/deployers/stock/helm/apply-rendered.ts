/** Renders the chart with helm and applies the objects like the manifest deployer. */
import type { DeployContext, Outcome } from '../../library/deployer.ts'
import { runIdOf } from '../../library/run-id.ts'
import { install } from '../installation/install.ts'
import { installationFor } from '../installation/prepare.ts'
import { chartFor, type HelmDependencies, helmKind, withItemHelm } from './calls.ts'
import type { HelmConfiguration } from './configuration.ts'
import { forgetRelease, recordedRelease } from './release.ts'
import { renderChart } from './render.ts'
import type { RenderCache } from './render-cache.ts'

export async function applyRendered(
  { targets, settings }: HelmDependencies,
  renderings: RenderCache,
  context: DeployContext,
  config: HelmConfiguration,
): Promise<Outcome | undefined> {
  const installation = await installationFor(context, targets, helmKind, config)
  const { uid = '' } = context.deployItem.metadata
  const run = runIdOf(context.deployItem)
  const { client } = installation
  const rendered =
    renderings.get(uid, run) ??
    (await withItemHelm(context, settings, undefined, async (helm) => {
      const chart = await chartFor(context, settings, helm, config)
      return renderChart(helm, chart, config, { client, signal: context.signal })
    }))
  renderings.set(uid, run, rendered)
  const contents = { desired: rendered.desired, rendered: rendered.scope, values: undefined }
  const recorded = recordedRelease(context.deployItem.status.providerStatus)
  if (recorded !== undefined) await forgetRelease(client, recorded, context.signal)
  try {
    const outcome = await install(context, { ...installation, defaultNamespace: config.namespace }, contents)
    if (outcome === undefined) renderings.delete(uid)
    return outcome
  } catch (error) {
    renderings.delete(uid)
    throw error
  }
}
