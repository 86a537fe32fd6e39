/** `carabiner migrate deploymentconfig`: converts DeploymentConfigs of OpenShift to Deployments with RolloutPolicies. Needs no cluster. */
import { Command } from 'commander'
import type { KubeObject } from '../../../kube/index.ts'
import { parseManifests } from '../../../kube/manifest/index.ts'
import { CarabinerError } from '../../../runtime/index.ts'
import type { CliContext } from '../../context.ts'
import { refuseUnfinished } from '../../rollout/subjects.ts'
import { serialize } from '../../terminal/listing.ts'
import { paint } from '../../terminal/paint.ts'
import { legible } from '../../terminal/symbols.ts'
import { table } from '../../terminal/table.ts'
import { type Converted, convert } from './convert.ts'
import type { DeploymentConfig } from './types.ts'

export function deploymentConfigCommand(context: CliContext): Command {
  return new Command('deploymentconfig')
    .alias('dc')
    .description(
      'Writes a Deployment, and a RolloutPolicy with its hooks, for every DeploymentConfig in a file. Fields that cannot be converted are listed on standard error.',
    )
    .argument('<file>', 'manifests, for example from oc get dc NAME -o yaml; - reads standard input')
    .option('-o, --output <format>', 'yaml, or json with objects and notes', 'yaml')
    .action(async (file: string, { output }: { output: string }) => {
      if (output !== 'yaml' && output !== 'json')
        throw new CarabinerError('CRB_USAGE', `-o ${output}: expected yaml or json`)
      const text =
        file === '-' ? new TextDecoder().decode(await context.readStdin()) : await context.runtime.files.readText(file)
      const converted = convertAll(parseManifests(text, file === '-' ? 'standard input' : file), file)
      if (output === 'json') {
        context.stdout.write(serialize(converted, 'json'))
        return
      }
      const objects = converted.flatMap((one) => one.objects)
      context.stdout.write(objects.map((object) => serialize(object, 'yaml')).join('---\n'))
      context.stderr.write(converted.map((one) => notesText(context, one)).join(''))
    })
}

function convertAll(objects: readonly KubeObject[], file: string): readonly Converted[] {
  const configs = objects.filter(({ kind }) => kind === 'DeploymentConfig') as DeploymentConfig[]
  configs.forEach(refuseUnfinished)
  if (configs.length > 0) return configs.map(convert)
  const isTemplate = objects.some(({ kind }) => kind === 'Template')
  throw new CarabinerError('CRB_MANIFEST_INVALID', `${file}: it contains no DeploymentConfig`, {
    remedy: isTemplate
      ? 'Set the parameters of the Template first: oc process -f FILE | carabiner migrate deploymentconfig -'
      : 'Write one to a file with: oc get dc NAME -o yaml',
  })
}

function notesText({ stderr }: CliContext, { name, notes }: Converted): string {
  const { bold, green, yellow } = paint(stderr)
  if (notes.length === 0) return `${green(legible('✓', stderr))} ${bold(name)}: converted completely\n`
  const rows = notes.map(({ field, note }) => [field, note])
  return `${yellow('!')} ${bold(name)}: converted with changes\n${table(['field', { head: 'change', shrinks: 'end' }], rows, { ...stderr, limit: Number.POSITIVE_INFINITY })}`
}
