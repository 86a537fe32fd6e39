/**
 * `import` and `include`. The caller provides the modules; this file makes their names visible to the program.
 */
import type { Json, JsonObject } from '../runtime/index.ts'
import { define, NameCheck, type Names } from './compile/check.ts'
import { type Context, extend, find, functionName, makeFunction, type Scope } from './compile/scope.ts'
import { JqError, runtimeError } from './error.ts'
import type { Import, ProgramSource } from './syntax/ast.ts'
import { parseProgram } from './syntax/program.ts'

export interface ModuleRequest {
  /** The path in the program. */
  readonly path: string
  /** The name of the importing source; `<top-level>` for the program itself. */
  readonly from: string
  /** `search` in the metadata of the import. */
  readonly search: Json | undefined
  /** Whether a data file is imported, as in `import "a" as $a`. */
  readonly data: boolean
}

/** Program text, or the values of a data file. `name` appears in messages. */
export type Module =
  | { readonly name: string; readonly source: string }
  | { readonly name: string; readonly data: readonly Json[] }

export type ModuleResolver = (request: ModuleRequest) => Module | undefined

/** The visible names of a program: for the compiler and for the check before it. */
export interface Visible {
  readonly scope: Scope | undefined
  readonly names: Names | undefined
}

const maxImportDepth = 100

export class Linker {
  readonly #resolve: ModuleResolver
  readonly #context: Context

  constructor(resolve: ModuleResolver | undefined, context: Context) {
    this.#resolve = resolve ?? (() => undefined)
    this.#context = context
  }

  /** The names that imports and definitions of a program make visible. */
  link(program: ProgramSource, context: Context, names: Names | undefined, depth = 0): Visible {
    if (depth > maxImportDepth)
      throw new JqError('syntax', `modules import each other in a circle at ${context.source.name}`)
    let visible: Visible = { scope: context.scope, names }
    for (const request of program.imports) visible = this.#import(request, visible, context, depth)
    const check = new NameCheck(context.source)
    for (const definition of program.definitions) {
      visible = {
        scope: makeFunction(definition, { ...context, scope: visible.scope }).scope,
        names: check.definition(definition, visible.names),
      }
    }
    return visible
  }

  /** `modulemeta`: the metadata, imports and definitions of a module. */
  describe(path: Json): JsonObject {
    if (typeof path !== 'string') throw runtimeError('modulemeta input module name must be a string')
    const module = this.#load(path, '<top-level>', undefined, false)
    if (!('source' in module)) throw runtimeError(`${path} is a data file`)
    const program = parseProgram({ name: module.name, text: module.source })
    const deps = program.imports.map(({ path: relpath, as, data, metadata }) => ({
      ...metadata,
      ...(as === undefined ? {} : { as }),
      is_data: data,
      relpath,
    }))
    const defs = program.definitions.map(({ name, parameters }) => functionName(name, parameters.length))
    return { ...program.metadata, deps, defs }
  }

  #import(request: Import, visible: Visible, context: Context, depth: number): Visible {
    const module = this.#load(request.path, context.source.name, request.metadata['search'], request.data)
    if ('data' in module) return this.#bindData(request.as ?? '', module.data, visible)
    const source = { name: module.name, text: module.source }
    const program = parseProgram(source)
    if (program.main)
      throw new JqError(
        'syntax',
        `library should only have function definitions, not a main expression (${module.name})`,
      )
    const inside = this.link(program, { ...this.#context, source }, undefined, depth + 1)
    let { scope, names } = visible
    const own = new Set(program.definitions.map(({ name, parameters }) => functionName(name, parameters.length)))
    for (const key of own) {
      const entry = find(inside.scope, key)
      const name = request.as === undefined ? key : `${request.as}::${key}`
      if (entry) scope = extend(scope, name, entry)
      names = define(names, name)
    }
    return { scope, names }
  }

  #bindData(name: string, values: readonly Json[], visible: Visible): Visible {
    let { scope } = visible
    const variables = [`$${name}`, `$${name}::${name}`]
    for (const variable of variables) scope = extend(scope, variable, { type: 'constant', value: values })
    return { scope, names: define(visible.names, ...variables) }
  }

  #load(path: string, from: string, search: Json | undefined, data: boolean): Module {
    const module = this.#resolve({ path, from, search, data })
    if (module === undefined)
      throw new JqError('syntax', `module not found: ${path}\n`, { value: `module not found: ${path}` })
    return module
  }
}
