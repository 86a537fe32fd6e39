/** Finds test cases: files named *.hooktest.yaml, or else all YAML files of the folder. */
import { join, relative, resolve } from 'node:path'
import { append, CarabinerError, type Files } from '../../../runtime/index.ts'
import { readCases, type TestCase } from './case.ts'

const caseName = /\.hooktest\.ya?ml$/
const data = /\.(ya?ml|json)$/

export async function casesAt(files: Files, path: string): Promise<readonly TestCase[]> {
  const facts = await files.facts(path)
  if (facts === undefined) throw new CarabinerError('CRB_FILE_NOT_FOUND', `${path} does not exist`)
  // A hook script is not parsed as YAML, so that the message is about missing test cases.
  const found = facts.kind === 'directory' ? await search(files, path) : [path].filter((file) => data.test(file))
  if (found.length === 0)
    throw new CarabinerError('CRB_FILE_NOT_FOUND', `${path} contains no test cases`, {
      remedy: 'Name the file *.hooktest.yaml, or create a test case with `carabiner hook new NAME`.',
    })
  const cases: TestCase[] = []
  for (const file of found) {
    const shown = relative('', resolve(file))
    append(cases, readCases(await files.readText(file), shown))
  }
  return cases
}

async function search(files: Files, folder: string): Promise<readonly string[]> {
  const named = await namedIn(files, folder)
  if (named.length > 0) return named
  return (await files.list(folder)).filter((name) => /\.ya?ml$/.test(name)).map((name) => join(folder, name))
}

async function namedIn(files: Files, folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await files.list(folder)) {
    if (name.startsWith('.')) continue
    const path = join(folder, name)
    const facts = await files.facts(path)
    if (facts?.kind === 'directory' && !facts.link) append(found, await namedIn(files, path))
    else if (caseName.test(name)) found.push(path)
  }
  return found
}
