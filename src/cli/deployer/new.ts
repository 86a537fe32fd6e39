/** `carabiner deployer new`: creates a deployer with test cases from the example in the package. */
import { join } from 'node:path'
import { Command } from 'commander'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { packageFolder } from '../package-folder.ts'

const example = 'examples/10-deployer'
/** The name of the example, which is replaced by the new name. */
const exampleName = 'greeting'
const templates = [`${exampleName}.mjs`, `${exampleName}.case.yaml`, `${exampleName}-broken.case.yaml`]

export function newCommand(context: CliContext): Command {
  return new Command('new')
    .summary('Create your own deployer')
    .description('Creates a folder with a deployer of less than 30 lines and its test cases.')
    .argument('<name>', 'name of the deployer, in lower case')
    .action(async (name: string) => {
      await createFiles(context, name)
      context.stdout.write(`${name}/ created. Try it:\n  ${context.programName} deployer test ${name}\n`)
    })
}

async function createFiles({ runtime: { files } }: CliContext, name: string): Promise<void> {
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name))
    throw new CarabinerError(
      'CRB_USAGE',
      `${JSON.stringify(name)} is not a valid name: it must consist of lower-case letters, digits and dashes and have at most 40 characters`,
      {
        remedy: 'Choose another name, for example `carabiner deployer new my-deployer`; the folder gets the same name.',
      },
    )
  if ((await files.facts(name)) !== undefined)
    throw new CarabinerError('CRB_USAGE', `${name} already exists`, {
      remedy: 'Choose another name, or remove it first; nothing was written.',
    })
  await files.makeDirectory(name)
  for (const template of templates) {
    const content = await files.readText(join(packageFolder(), example, template))
    await files.write(join(name, template.replace(exampleName, name)), content.replaceAll(exampleName, name))
  }
}
