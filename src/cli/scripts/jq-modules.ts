/** Finds modules for jq filters in a folder by the rules of jq: `a` is `a.jq` or `a/a.jq`. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { CompileOptions, ModuleResolver } from '../../jq/index.ts'
import type { Json } from '../../runtime/index.ts'

/** The compile options of hook filters; `path` is the folder of modules, an empty path means none. */
export function filterOptions(path = ''): CompileOptions {
  return path === '' ? {} : { modules: modulesIn(resolve(path)) }
}

function modulesIn(folder: string): ModuleResolver {
  return ({ path, data }) => {
    const ending = data ? 'json' : 'jq'
    const name = [`${path}.${ending}`, `${path}/${basename(path)}.${ending}`]
      .map((one) => join(folder, one))
      .find((one) => existsSync(one))
    if (name === undefined) return undefined
    const text = readFileSync(name, 'utf8')
    return data ? { name, data: [JSON.parse(text) as Json] } : { name, source: text }
  }
}
