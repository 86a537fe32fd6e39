/** `carabiner deployer test`: runs the test cases of a folder, each in its own sandbox in virtual time. */
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { parseYaml } from '../../kube/manifest/index.ts'
import { CarabinerError, type Json } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { type Listing, list, outputOption, readFormat } from '../terminal/listing.ts'
import { span } from '../terminal/span.ts'
import { readCase } from './cases/case.ts'
import { type CaseResult, runCase } from './cases/runner.ts'
import { loadDeployers } from './load.ts'

interface Result extends CaseResult {
  readonly case: string
  readonly file: string
  readonly holds: boolean
}

const resultListing: Listing<Result> = {
  columns: [
    { head: 'case', of: ({ case: name }) => name },
    { head: 'result', of: ({ holds }) => (holds ? 'ok' : 'FAILED') },
    { head: 'took', of: ({ took }) => span(took) },
    { head: 'file', of: ({ file }) => file, wide: true },
  ],
  name: ({ case: name }) => name,
  none: 'There are no test cases.',
}

export function testCommand(context: CliContext): Command {
  return new Command('test')
    .summary('Test your own deployer in a sandbox with virtual time')
    .description(
      'Runs every *.case.yaml of a folder in its own sandbox in virtual time, so that waiting takes no real time. Exits with 1 when a case fails.',
    )
    .argument('[folder]', 'folder with test cases', '.')
    .addOption(outputOption())
    .action(async (folder: string, options: { readonly output?: string }) => {
      const format = readFormat(options.output)
      const results = await testFolder(context, folder)
      context.stdout.write(list(results, format, resultListing, context.stdout))
      const failed = results.filter(({ holds }) => !holds)
      if (failed.length > 0) context.exit(1)
      for (const { case: name, differences } of failed)
        context.stderr.write(`\n${name}:\n${differences.map((line) => `  ${line}\n`).join('')}`)
    })
}

async function testFolder({ runtime }: CliContext, folder: string): Promise<readonly Result[]> {
  const { files } = runtime
  if ((await files.facts(folder))?.kind !== 'directory')
    throw new CarabinerError('CRB_FILE_NOT_FOUND', `the folder ${folder} does not exist`)
  const names = (await files.list(folder)).filter((name) => /\.case\.ya?ml$/.test(name))
  if (names.length === 0)
    throw new CarabinerError('CRB_FILE_NOT_FOUND', `${folder} has no test case: no file ends in .case.yaml`, {
      remedy: 'Pass a folder with test cases; `carabiner deployer new NAME` creates a deployer with test cases.',
    })
  const results: Result[] = []
  for (const name of names) {
    const file = join(folder, name)
    const one = readCase((parseYaml(await files.readText(file), file) ?? {}) as Json, file)
    const deployers = await loadDeployers(files, resolve(dirname(file), one.deployer))
    const result = await runCase(one, deployers)
    results.push({ case: one.name, file, holds: result.differences.length === 0, ...result })
  }
  return results
}
