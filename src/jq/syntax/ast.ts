/**
 * The syntax tree of a program. Every node has its offsets in the source, for error messages of later stages.
 */
import type { Json } from '../../runtime/index.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>='
export type UpdateOperator = '=' | '|=' | '//=' | '+=' | '-=' | '*=' | '/=' | '%='

export interface ObjectEntry {
  readonly key: Node
  /** Absent for `{a}` and `{"a"}`: the value of the input under that key. */
  readonly value: Node | undefined
}

export type Pattern =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'array'; readonly items: readonly Pattern[] }
  | { readonly type: 'object'; readonly entries: readonly PatternEntry[] }

export interface PatternEntry {
  readonly key: Node
  /** `{$name: …}` binds the value itself as well. */
  readonly variable?: string
  readonly pattern?: Pattern
}

export interface Definition {
  readonly name: string
  readonly parameters: readonly string[]
  readonly body: Node
}

export type Node = Span &
  (
    | { readonly type: 'identity' }
    | { readonly type: 'literal'; readonly value: Json }
    | { readonly type: 'text'; readonly format: string; readonly parts: readonly (string | Node)[] }
    | { readonly type: 'format'; readonly name: string }
    | { readonly type: 'index'; readonly target: Node; readonly key: Node; readonly optional?: boolean }
    | {
        readonly type: 'slice'
        readonly target: Node
        readonly from: Node | undefined
        readonly to: Node | undefined
        readonly optional?: boolean
      }
    | { readonly type: 'iterate'; readonly target: Node; readonly optional?: boolean }
    | { readonly type: 'array'; readonly body: Node | undefined }
    | { readonly type: 'object'; readonly entries: readonly ObjectEntry[] }
    | { readonly type: 'negate'; readonly operand: Node }
    | { readonly type: 'pipe'; readonly left: Node; readonly right: Node }
    | { readonly type: 'comma'; readonly left: Node; readonly right: Node }
    | { readonly type: 'arithmetic'; readonly operator: ArithmeticOperator; readonly left: Node; readonly right: Node }
    | { readonly type: 'comparison'; readonly operator: ComparisonOperator; readonly left: Node; readonly right: Node }
    | { readonly type: 'and'; readonly left: Node; readonly right: Node }
    | { readonly type: 'or'; readonly left: Node; readonly right: Node }
    | { readonly type: 'alternative'; readonly left: Node; readonly right: Node }
    | { readonly type: 'update'; readonly operator: UpdateOperator; readonly left: Node; readonly right: Node }
    | { readonly type: 'if'; readonly condition: Node; readonly then: Node; readonly otherwise: Node | undefined }
    | { readonly type: 'try'; readonly body: Node; readonly handler: Node | undefined }
    | {
        readonly type: 'reduce'
        readonly source: Node
        readonly patterns: readonly Pattern[]
        readonly init: Node
        readonly update: Node
      }
    | {
        readonly type: 'foreach'
        readonly source: Node
        readonly patterns: readonly Pattern[]
        readonly init: Node
        readonly update: Node
        readonly extract: Node | undefined
      }
    | { readonly type: 'as'; readonly source: Node; readonly patterns: readonly Pattern[]; readonly body: Node }
    | { readonly type: 'label'; readonly name: string; readonly body: Node }
    | { readonly type: 'break'; readonly name: string }
    | { readonly type: 'define'; readonly definition: Definition; readonly rest: Node }
    | { readonly type: 'call'; readonly name: string; readonly args: readonly Node[] }
    | { readonly type: 'variable'; readonly name: string }
  )

export type NodeOf<T extends Node['type']> = Extract<Node, { type: T }>

export interface Import {
  readonly path: string
  /** The prefix for functions, or the variable for data; absent for `include`. */
  readonly as: string | undefined
  readonly data: boolean
  readonly metadata: { readonly [key: string]: Json }
  readonly span: Span
}

export interface ProgramSource {
  readonly metadata: { readonly [key: string]: Json } | undefined
  readonly imports: readonly Import[]
  readonly definitions: readonly Definition[]
  /** Absent in a library, which has definitions only. */
  readonly main: Node | undefined
}
