/** The steps of a parsed JSON path. */
import type { Json } from '../../runtime/index.ts'

export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descend' }
  | { readonly kind: 'element'; readonly index: number }
  | {
      readonly kind: 'slice'
      readonly from: number | undefined
      readonly to: number | undefined
      readonly step: number | undefined
    }
  | { readonly kind: 'union'; readonly parts: readonly (readonly Step[])[] }
  | { readonly kind: 'filter'; readonly filter: Filter }

export type Comparison = '==' | '!=' | '<=' | '>=' | '<' | '>'

export type Operand =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'path'; readonly steps: readonly Step[]; readonly absolute: boolean }

export interface Filter {
  readonly left: Operand
  /** Without a comparison the filter matches when the left side exists. */
  readonly comparison?: Comparison
  readonly right?: Operand
}
