/** `optMap` and `optFlatMap`: evaluate an expression only if an optional has a value. */
import { type Environment, Optional } from '@marcbachmann/cel-js'
import { registerAll } from './registration.ts'

/** The part of the macro interface of the CEL library that is used here. */
interface Node {
  readonly op: string
  readonly args: unknown
  readonly maybeAsync: boolean
  setMeta(name: string, value: unknown): void
}

interface Context {
  forkWithVariable(name: string, type: unknown): Context
  reuse(parent: Context): Context
  setIterValue(value: unknown, evaluator: Evaluator): Context
}

interface Evaluator {
  run(node: Node, context: Context): unknown
}

interface Checker {
  check(node: Node, context: Context): unknown
  getType(name: string): unknown
}

interface Macro {
  readonly ast: Node
  readonly receiver: Node
  readonly variable: string
  readonly body: Node
  context: Context | undefined
}

export function registerOptionals(environment: Environment): void {
  registerAll(environment, {
    'optional.optMap(ast, ast): optional<dyn>': macro('optMap', (value) => Optional.of(value)),
    'optional.optFlatMap(ast, ast): optional<dyn>': macro('optFlatMap', (value) => {
      if (value instanceof Optional) return value
      throw new TypeError('optFlatMap must yield an optional')
    }),
  })
}

function macro(name: string, finish: (value: unknown) => unknown) {
  return ({ ast, args, receiver }: { ast: Node; args: readonly Node[]; receiver: Node }) => {
    const [variable, body] = args
    if (variable?.op !== 'id' || typeof variable.args !== 'string' || body === undefined) {
      throw new TypeError(`${name}(variable, expression) needs the name of a variable`)
    }
    return {
      ast,
      receiver,
      variable: variable.args,
      body,
      context: undefined,
      typeCheck(checker: Checker, self: Macro, context: Context): unknown {
        checker.check(self.receiver, context)
        self.context = context.forkWithVariable(self.variable, checker.getType('dyn'))
        checker.check(self.body, self.context)
        self.ast.setMeta('async', false)
        return checker.getType('optional')
      },
      evaluate(evaluator: Evaluator, self: Macro, context: Context): unknown {
        const optional = evaluator.run(self.receiver, context)
        if (!(optional instanceof Optional)) throw new TypeError(`${name} must be called on an optional`)
        if (!optional.hasValue() || self.context === undefined) return Optional.none()
        const inner = self.context.reuse(context).setIterValue(optional.value(), evaluator)
        return finish(evaluator.run(self.body, inner))
      },
    }
  }
}
