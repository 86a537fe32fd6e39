/**
 * Loads the bundled program with the V8 code cache that was created at build time; this shortens the start of an operator by a third. V8
 * rejects a cache of another version or other flags; then the modules are loaded one by one.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'

/** Path of the code cache of a file. */
export function codePath(path: string): string {
  return `${path}.code`
}

/** The bundle is a function with the arguments of a CommonJS module. It is plain ASCII: any other character would double the memory V8 needs for the source. */
export function scriptOf(path: string, cachedData?: Buffer): Script {
  return new Script(readFileSync(path, 'latin1'), {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
}

/** Runs the script and returns its exports. */
export function runScript<Exports>(script: Script, path: string): Exports {
  const module = { exports: {} }
  const body = script.runInThisContext() as (...given: readonly unknown[]) => void
  body(module.exports, createRequire(path), module, path, dirname(path))
  return module.exports as Exports
}

/** The exports of the file; undefined when it has no code cache that V8 accepts. */
export function loadCompiled<Exports>(path: string): Exports | undefined {
  const script = compiledScript(path)
  return script === undefined ? undefined : runScript(script, path)
}

/** A separate function, so that no local variable keeps the cache buffer in memory while the script runs. */
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
