/** `carabiner hook new`: creates a working hook and its test case. */
import { dirname, join, relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { CarabinerError } from '../../../runtime/index.ts'
import type { CliContext } from '../../context.ts'
import { type Language, languages, templates, testCase } from './templates.ts'

interface NewOptions {
  readonly lang: Language
  readonly hooksDir: string
}

/** Valid as a label value and as a file name. */
const validName = /^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,48}[a-zA-Z0-9])?$/

export function newCommand(context: CliContext): Command {
  return new Command('new')
    .description('Creates a working hook and a test case for it. Existing files are not overwritten.')
    .argument('<name>', 'name of the hook, without extension')
    .addOption(new Option('--lang <language>', 'language of the hook').choices(languages).default('bash'))
    .option('--hooks-dir <folder>', 'folder of hooks; created if it does not exist', 'hooks')
    .action(async (name: string, { lang, hooksDir }: NewOptions) => {
      const { extension, isProgram, text } = templates[lang]
      if (!validName.test(name))
        throw new CarabinerError('CRB_USAGE', `not a valid name for a hook: ${JSON.stringify(name)}`, {
          remedy: 'Use letters, digits, - and _, without an extension: `carabiner hook new restart-pods`.',
        })
      const file = `${name}${extension}`
      await writeNew(context, [
        { path: join(hooksDir, file), text: text(name), mode: isProgram ? 0o755 : 0o644 },
        { path: join(hooksDir, `${name}.hooktest.yaml`), text: testCase(name, file), mode: 0o644 },
      ])
      if (extension === '.mjs')
        context.stdout.write(
          'This version of Node.js cannot load TypeScript, so the hook is JavaScript; use 22.18 or newer for TypeScript.\n',
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
  // All files are checked first, so that either all or none are written.
  for (const { path } of wanted)
    if ((await files.facts(path)) !== undefined)
      throw new CarabinerError('CRB_USAGE', `${path} already exists`, {
        remedy: 'Choose another name, or remove the file first; nothing was written.',
      })
  for (const { path, text, mode } of wanted) {
    await files.makeDirectory(dirname(path))
    await files.write(path, text, { mode })
    stdout.write(`wrote ${path}\n`)
  }
}
