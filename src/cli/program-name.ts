/**
 * The name of the program in everything it prints. Texts in the code write commands as `carabiner COMMAND`; `asStarted` replaces the name by
 * the way this process was started, so that every printed command can be pasted.
 */
import { basename, dirname, relative, sep } from 'node:path'
import { commandNames } from './command-names.ts'

/** How a process was started. */
export interface Start {
  /** The path of the program, as Node.js has it. */
  readonly file: string
  /** The npm script or `npx`, when npm runs the program. */
  readonly script?: string | undefined
  readonly folder: string
}

/** What a user types to start the program again. */
export function programNameOf({ file, script, folder }: Start): string {
  const name = basename(file)
  if (name.startsWith('kubectl-')) return 'kubectl carabiner'
  // The binaries of a checkout or a project are not on PATH.
  if (script === 'start' || script === 'npx' || basename(dirname(file)) === '.bin') return 'npx carabiner'
  if (!/\.[cm]?[jt]s$/.test(name)) return 'carabiner'
  const path = relative(folder, file)
  const shown = path.startsWith('..') ? file : path
  return `node ${/^[\w./@+-]+$/.test(shown.split(sep).join('/')) ? shown : `'${shown.replaceAll("'", "'\\''")}'`}`
}

const names = [...commandNames, '--help', '--version'].join('|')
/** A command in a text: neither part of a path or a name, nor written with the way of starting already. */
const command = new RegExp(String.raw`(?<![\w./@-]|npx |kubectl )carabiner(?= (?:${names})(?![\w-]))`, 'g')

/** The text with every command as this process was started; for texts of this program and those that it finds in a cluster. */
export function asStarted(text: string, { programName }: { readonly programName: string }): string {
  return text.replace(command, () => programName)
}
