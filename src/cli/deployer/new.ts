/** `carabiner deployer new`: a deployer to begin with, and its test cases. The template is the example that comes with the program. */
import { join } from 'node:path'
import { Command } from 'commander'
import { CarabinerError } from '../../runtime/errors.ts'
import type { CliContext } from '../context.ts'
import { packageFolder } from '../package-folder.ts'

const example = 'examples/10-deployer'
/** What the example calls itself, and what is replaced by the new name. */
const exampleName = 'greeting'
const templates = [`${exampleName}.mjs`, `${exampleName}.case.yaml`, `${exampleName}-broken.case.yaml`]

export function newCommand(context: CliContext): Command {
  return new Command('new')
    .summary('Begin a deployer of your own')
    .description('Makes a folder with a deployer of less than 30 lines and its test cases.')
    .argument('<name>', 'name of the deployer, in lower case')
    .action(async (name: string) => {
      await begin(context, name)
      context.stdout.write(`${name}/ is there. Try it:\n  ${context.programName} deployer test ${name}\n`)
    })
}

async function begin({ runtime: { files } }: CliContext, name: string): Promise<void> {
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name))
    throw new CarabinerError(
      'CRB_USAGE',
      `${JSON.stringify(name)} is no name: small letters, digits and dashes, up to 40`,
      {
        remedy: 'Choose another, for example `carabiner deployer new my-deployer`; it becomes the name of the folder.',
      },
    )
  if ((await files.facts(name)) !== undefined)
    throw new CarabinerError('CRB_USAGE', `${name} is there already`, {
      remedy: 'Choose another name, or remove it first; nothing was written.',
    })
  await files.makeDirectory(name)
  for (const template of templates) {
    const content = await files.readText(join(packageFolder(), example, template))
    await files.write(join(name, template.replace(exampleName, name)), content.replaceAll(exampleName, name))
  }
}
