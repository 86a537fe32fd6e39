/** `carabiner hook new`: a hook that works, and the test case that shows it. */
import { dirname, join, relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { CliContext } from '../../context.ts'
import { type Language, languages, templates, testCase } from './templates.ts'

interface NewOptions {
  readonly lang: Language
  readonly hooksDir: string
}

/** A value of a label as well as a part of a path. */
const usableName = /^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,48}[a-zA-Z0-9])?$/

export function newCommand(context: CliContext): Command {
  return new Command('new')
    .description('Writes a hook that works, and a test case for it. Nothing that is there is overwritten.')
    .argument('<name>', 'name of the hook, without extension')
    .addOption(new Option('--lang <language>', 'what it is written in').choices(languages).default('bash'))
    .option('--hooks-dir <folder>', 'folder of hooks; made if it is not there', 'hooks')
    .action(async (name: string, { lang, hooksDir }: NewOptions) => {
      const { extension, isProgram, text } = templates[lang]
      if (!usableName.test(name))
        throw new CarabinerError('CRB_USAGE', `a hook cannot be called ${JSON.stringify(name)}`, {
          remedy: 'Take letters, digits, - and _, without an extension: `carabiner hook new restart-pods`.',
        })
      const file = `${name}${extension}`
      await writeNew(context, [
        { path: join(hooksDir, file), text: text(name), mode: isProgram ? 0o755 : 0o644 },
        { path: join(hooksDir, `${name}.hooktest.yaml`), text: testCase(name, file), mode: 0o644 },
      ])
      if (extension === '.mjs')
        context.stdout.write(
          'This Node.js cannot load TypeScript, so that it is JavaScript; use 22.18 or newer for types.\n',
        )
      const where = relative('', resolve(hooksDir)) || '.'
      context.stdout.write(`\nTry it:\n  ${context.programName} hook test ${where}\n`)
      context.stdout.write(`  ${context.programName} hook list ${where}\n`)
    })
}

async function writeNew(
  { runtime: { files }, stdout }: CliContext,
  wanted: readonly { readonly path: string; readonly text: string; readonly mode: number }[],
): Promise<void> {
  // All or nothing: half a hook helps nobody.
  for (const { path } of wanted)
    if ((await files.facts(path)) !== undefined)
      throw new CarabinerError('CRB_USAGE', `${path} is there already`, {
        remedy: 'Choose another name, or remove the file first; nothing was written.',
      })
  for (const { path, text, mode } of wanted) {
    await files.makeDirectory(dirname(path))
    await files.write(path, text, { mode })
    stdout.write(`wrote ${path}\n`)
  }
}
