/**
 * A translated pattern as a tree, for estimating its backtracking and for matching it with a budget. Parses only the output of
 * `pattern.ts`: the syntax of JavaScript in Unicode mode.
 */
export type Tree =
  | { readonly type: 'characters'; readonly source: string }
  | { readonly type: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly type: 'choice'; readonly options: readonly Tree[] }
  | { readonly type: 'group'; readonly index: number; readonly body: Tree }
  | { readonly type: 'look'; readonly behind: boolean; readonly negative: boolean; readonly body: Tree }
  | {
      readonly type: 'repeat'
      readonly min: number
      readonly max: number
      readonly lazy: boolean
      readonly body: Tree
    }
  | { readonly type: 'start' }
  | { readonly type: 'reference'; readonly group: number | string }

export function parseTree(source: string): Tree {
  return new TreeParser(source).choice()
}

class TreeParser {
  readonly #source: string
  #at = 0
  #groups = 0

  constructor(source: string) {
    this.#source = source
  }

  choice(): Tree {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 && options[0] ? options[0] : { type: 'choice', options }
  }

  #sequence(): Tree {
    const parts: Tree[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      parts.push(this.#repeated(this.#atom()))
    }
    return parts.length === 1 && parts[0] ? parts[0] : { type: 'sequence', parts }
  }

  #repeated(body: Tree): Tree {
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/.exec(this.#source.slice(this.#at, this.#at + 40))
    if (match === null) return body
    this.#at += match[0].length
    const [, sign, from, comma, to, lazy] = match
    const min = sign === undefined ? Number(from) : sign === '+' ? 1 : 0
    const bounded = comma === '' ? Number(from) : to === '' ? Number.POSITIVE_INFINITY : Number(to)
    const max = sign === undefined ? bounded : sign === '?' ? 1 : Number.POSITIVE_INFINITY
    return { type: 'repeat', min, max, lazy: lazy === '?', body }
  }

  #atom(): Tree {
    const rest = this.#source.slice(this.#at, this.#at + 80)
    if (this.#take('^')) return { type: 'start' }
    if (rest.startsWith('(')) return this.#parenthesis(rest)
    const reference = /^\\(?:([1-9])|k<(\w+)>)/.exec(rest)
    if (reference) {
      this.#at += reference[0].length
      return { type: 'reference', group: reference[2] ?? Number(reference[1]) }
    }
    if (rest.startsWith('[')) return this.#brackets()
    const source =
      /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/.exec(rest)?.[0] ??
      String.fromCodePoint(rest.codePointAt(0) ?? 0)
    this.#at += source.length
    return { type: 'characters', source }
  }

  #parenthesis(rest: string): Tree {
    const opening = /^\((?:\?(?:<([=!])|([=!])|:|<(\w+)>))?/.exec(rest) ?? ['(']
    const [whole, behind, ahead, name] = opening
    this.#at += whole?.length ?? 1
    const captures = whole === '(' || name !== undefined
    this.#groups += captures ? 1 : 0
    const index = this.#groups
    const body = this.choice()
    this.#take(')')
    const sign = behind ?? ahead
    if (sign !== undefined) return { type: 'look', behind: behind !== undefined, negative: sign === '!', body }
    return captures ? { type: 'group', index, body } : body
  }

  #brackets(): Tree {
    let end = this.#at + 1
    while (end < this.#source.length && this.#source.charAt(end) !== ']')
      end += this.#source.charAt(end) === '\\' ? 2 : 1
    const source = this.#source.slice(this.#at, end + 1)
    this.#at = end + 1
    return { type: 'characters', source }
  }

  #take(character: string): boolean {
    if (this.#source.charAt(this.#at) !== character) return false
    this.#at += 1
    return true
  }
}

/** Up to this number, repeats count as constant. */
const maxConstantRepeats = 8

/**
 * The worst-case time to fail as a power of the text length; infinite when a repeat contains an expression that can match the same text
 * in several ways.
 */
export function backtracking(tree: Tree): number {
  switch (tree.type) {
    case 'characters':
    case 'start':
      return 0
    case 'reference':
      return 1
    case 'group':
    case 'look':
      return backtracking(tree.body)
    case 'sequence':
      return tree.parts.reduce((sum, part) => sum + backtracking(part), 0)
    case 'choice':
      return tree.options.reduce((sum, option) => sum + backtracking(option), 0)
    case 'repeat': {
      if (tree.max <= maxConstantRepeats) return backtracking(tree.body) * Math.max(1, tree.max)
      return isFixed(tree.body) ? 1 : Number.POSITIVE_INFINITY
    }
  }
}

/** Whether the tree can match a given text in one way only. */
function isFixed(tree: Tree): boolean {
  switch (tree.type) {
    case 'characters':
    case 'start':
      return true
    case 'group':
    case 'look':
      return isFixed(tree.body)
    case 'sequence':
      return tree.parts.every(isFixed)
    case 'repeat':
      return tree.min === tree.max && isFixed(tree.body)
    case 'choice':
    case 'reference':
      return false
  }
}
