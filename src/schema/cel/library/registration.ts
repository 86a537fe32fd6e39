/** Helpers to register functions and namespaces. All functions are synchronous. */
import type { Environment } from '@marcbachmann/cel-js'

export type CelFunction = (...values: never[]) => unknown

/** Registers functions by signature, for example `'string.charAt(int): string'`. */
export function registerAll(environment: Environment, functions: Readonly<Record<string, CelFunction>>): void {
  for (const [signature, handler] of Object.entries(functions)) {
    environment.registerFunction(signature, { handler: handler as (...values: unknown[]) => unknown, async: false })
  }
}

/** Enables `name.function(...)`; the functions are registered with `<type>.` as receiver. */
export function registerNamespace(environment: Environment, name: string, type: string): void {
  class Namespace {}
  environment.registerType(type, { ctor: Namespace, fields: {} })
  environment.registerConstant(name, type, new Namespace())
}
