/** `carabiner migrate deploymentconfig`: OpenShift's DeploymentConfigs as Deployments with RolloutPolicies. Needs no cluster. */
import { Command } from 'commander'
import { parseManifests } from '../../../kube/manifest/index.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { CliContext } from '../../context.ts'
import { refuseUnfinished } from '../../rollout/subjects.ts'
import { written } from '../../terminal/listing.ts'
import { paint } from '../../terminal/paint.ts'
import { table } from '../../terminal/table.ts'
import { type Converted, convert } from './convert.ts'
import type { DeploymentConfig } from './types.ts'

export function deploymentConfigCommand(context: CliContext): Command {
  return new Command('deploymentconfig')
    .alias('dc')
    .description(
      'Writes a Deployment, and a RolloutPolicy with its hooks, for every DeploymentConfig in a file. What cannot be carried over is said on standard error, field by field.',
    )
    .argument('<file>', 'manifests, for example from oc get dc NAME -o yaml; - reads standard input')
    .option('-o, --output <format>', 'json: objects and notes in one', 'yaml')
    .action(async (file: string, { output }: { output: string }) => {
      if (output !== 'yaml' && output !== 'json')
        throw new CarabinerError('CRB_USAGE', `-o ${output}: expected yaml or json`)
      const text =
        file === '-' ? new TextDecoder().decode(await context.readStdin()) : await context.runtime.files.readText(file)
      const converted = convertAll(parseManifests(text, file === '-' ? 'standard input' : file), file)
      if (output === 'json') {
        context.stdout.write(written(converted, 'json'))
        return
      }
      const objects = converted.flatMap((one) => one.objects)
      context.stdout.write(objects.map((object) => written(object, 'yaml')).join('---\n'))
      context.stderr.write(converted.map((one) => notesText(context, one)).join(''))
    })
}

function convertAll(objects: readonly KubeObject[], file: string): readonly Converted[] {
  const configs = objects.filter(({ kind }) => kind === 'DeploymentConfig') as DeploymentConfig[]
  configs.forEach(refuseUnfinished)
  if (configs.length > 0) return configs.map(convert)
  const isTemplate = objects.some(({ kind }) => kind === 'Template')
  throw new CarabinerError('CRB_MANIFEST_INVALID', `${file}: there is no DeploymentConfig in it`, {
    remedy: isTemplate
      ? 'Give values to the parameters of the Template first: oc process -f FILE | carabiner migrate deploymentconfig -'
      : 'Write one to a file with: oc get dc NAME -o yaml',
  })
}

function notesText({ stderr }: CliContext, { name, notes }: Converted): string {
  const { bold, green, yellow } = paint(stderr)
  if (notes.length === 0) return `${green('✓')} ${bold(name)}: everything was carried over\n`
  const rows = notes.map(({ field, note }) => [field, note])
  return `${yellow('!')} ${bold(name)}: not carried over as it was\n${table(['field', 'what became of it'], rows)}`
}
