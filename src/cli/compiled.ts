/**
 * The program in one file, beside code that was compiled when it was built: reading that back takes a third off the time an operator needs to
 * start. The engine itself refuses code of another version of it, or made with other flags; then modules are loaded one by one, as ever.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'

/** Where the code of a file is kept. */
export function codePath(path: string): string {
  return `${path}.code`
}

/** The file, a function of what Node gives a module, in plain ASCII: any other character would double what the engine keeps of its text. */
export function scriptOf(path: string, cachedData?: Buffer): Script {
  return new Script(readFileSync(path, 'latin1'), {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
}

/** What the file exports. */
export function runScript<Exports>(script: Script, path: string): Exports {
  const module = { exports: {} }
  const body = script.runInThisContext() as (...given: readonly unknown[]) => void
  body(module.exports, createRequire(path), module, path, dirname(path))
  return module.exports as Exports
}

/** What the file exports; undefined when there is no code for it that this engine takes. */
export function loadCompiled<Exports>(path: string): Exports | undefined {
  const script = compiledScript(path)
  return script === undefined ? undefined : runScript(script, path)
}

/** A function of its own, so that nothing holds the code any more while the script runs: it would be kept for good. */
function compiledScript(path: string): Script | undefined {
  const code = readIfThere(codePath(path))
  if (code === undefined) return undefined
  const script = scriptOf(path, code)
  return script.cachedDataRejected === true ? undefined : script
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
