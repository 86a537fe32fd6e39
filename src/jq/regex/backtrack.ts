/**
 * A matcher with a budget: every step counts against the budget of the run. Used only for patterns that could take exponential time in the
 * built-in engine, which cannot be interrupted.
 */
import type { Meter } from '../limits.ts'
import type { Tree } from './tree.ts'

export interface Found {
  readonly start: number
  readonly end: number
  /** The range of each group; undefined when it did not match. */
  readonly groups: readonly ([number, number] | undefined)[]
}

/** Whether the rest of the pattern matches from a position. */
type Step = (at: number) => boolean

export class BacktrackingMatcher {
  readonly #names: readonly (string | null)[]
  readonly #flags: string
  readonly #match: Step
  #text = ''
  #meter: Meter | undefined
  #end = 0
  #groups: ([number, number] | undefined)[] = []

  constructor(tree: Tree, names: readonly (string | null)[], flags: string) {
    this.#names = names
    this.#flags = flags.replace(/[gd]/g, '')
    this.#match = this.#compile(tree, (at) => {
      this.#end = at
      return true
    })
  }

  /** The first match at or after a position. */
  find(text: string, from: number, meter: Meter): Found | undefined {
    this.#text = text
    this.#meter = meter
    for (let start = from; start <= text.length; start += Math.max(1, this.#width(start))) {
      this.#groups = this.#names.map(() => undefined)
      if (this.#match(start)) return { start, end: this.#end, groups: this.#groups }
    }
    return undefined
  }

  /** UTF-16 units of the character at a position. */
  #width(at: number): number {
    return (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : at < this.#text.length ? 1 : 0
  }

  #compile(tree: Tree, next: Step): Step {
    switch (tree.type) {
      case 'characters': {
        const accepts = this.#characters(tree.source)
        return (at) => accepts(at) && next(at + this.#width(at))
      }
      case 'sequence':
        return tree.parts.reduceRight((rest, part) => this.#compile(part, rest), next)
      case 'choice': {
        const options = tree.options.map((option) => this.#compile(option, next))
        return (at) => options.some((option) => option(at))
      }
      case 'start':
        return (at) => at === 0 && next(at)
      case 'group':
        return this.#group(tree.index - 1, tree.body, next)
      case 'look':
        return tree.behind ? this.#lookBehind(tree, next) : this.#lookAhead(tree, next)
      case 'reference':
        return this.#reference(tree.group, next)
      case 'repeat':
        return tree.body.type === 'characters' ? this.#run(tree, tree.body.source, next) : this.#repeat(tree, next)
    }
  }

  /** Tests one character; results are cached, because texts contain few different characters. */
  #characters(source: string): Step {
    const expression = new RegExp(`^(?:${source})$`, this.#flags)
    const known = new Map<string, boolean>()
    return (at) => {
      this.#meter?.spend(1)
      const width = this.#width(at)
      if (width === 0) return false
      const character = this.#text.slice(at, at + width)
      let accepted = known.get(character)
      if (accepted === undefined) {
        accepted = expression.test(character)
        known.set(character, accepted)
      }
      return accepted
    }
  }

  /** A repeat of one character needs no recursion: counts the matches, then backtracks one by one. */
  #run(tree: Extract<Tree, { type: 'repeat' }>, source: string, next: Step): Step {
    const accepts = this.#characters(source)
    const { min, max, lazy } = tree
    return (from) => {
      let at = from
      let count = 0
      const advance = () => {
        if (count >= max || !accepts(at)) return false
        at += this.#width(at)
        count += 1
        return true
      }
      while (count < min) if (!advance()) return false
      if (lazy) {
        do if (next(at)) return true
        while (advance())
        return false
      }
      while (advance());
      for (;;) {
        if (next(at)) return true
        if (count === min) return false
        count -= 1
        at -= isLowSurrogate(this.#text, at - 1) ? 2 : 1
      }
    }
  }

  #repeat(tree: Extract<Tree, { type: 'repeat' }>, next: Step): Step {
    const { min, max, lazy } = tree
    // The state of the innermost repeat; backtracking restores it.
    let count = 0
    let last = -1
    const keeping = (step: Step, newCount: number, newLast: number, at: number): boolean => {
      const before = count
      const lastBefore = last
      count = newCount
      last = newLast
      if (step(at)) return true
      count = before
      last = lastBefore
      return false
    }
    const more: Step = (at) => {
      this.#meter?.spend(1)
      // An iteration that matches nothing would repeat endlessly.
      if (at === last && count > min) return false
      const again = () => count < max && keeping(body, count + 1, at, at)
      if (count < min) return again()
      const leave = () => keeping(next, count, last, at)
      return lazy ? leave() || again() : again() || leave()
    }
    const body = this.#compile(tree.body, more)
    return (at) => keeping(more, 0, -1, at)
  }

  #group(index: number, bodyTree: Tree, next: Step): Step {
    let opened = 0
    const body = this.#compile(bodyTree, (at) => {
      const before = this.#groups[index]
      const start = opened
      this.#groups[index] = [start, at]
      if (next(at)) return true
      this.#groups[index] = before
      opened = start
      return false
    })
    return (at) => {
      const before = opened
      opened = at
      if (body(at)) return true
      opened = before
      return false
    }
  }

  #lookAhead(tree: Extract<Tree, { type: 'look' }>, next: Step): Step {
    const body = this.#compile(tree.body, () => true)
    return (at) => {
      const before = [...this.#groups]
      const holds = body(at) !== tree.negative
      if (tree.negative || !holds) this.#groups = before
      if (holds && next(at)) return true
      this.#groups = before
      return false
    }
  }

  #lookBehind(tree: Extract<Tree, { type: 'look' }>, next: Step): Step {
    let target = 0
    const body = this.#compile(tree.body, (at) => at === target)
    return (at) => {
      const outer = target
      target = at
      let holds = false
      for (let start = at; start >= 0 && !holds; start -= 1) {
        this.#meter?.spend(1)
        holds = body(start)
        // Word boundaries look back only one character.
        if (tree.body.type === 'characters' && start <= at - 2) break
      }
      target = outer
      return holds !== tree.negative && next(at)
    }
  }

  #reference(group: number | string, next: Step): Step {
    const index = typeof group === 'number' ? group - 1 : this.#names.indexOf(group)
    return (at) => {
      const [start, end] = this.#groups[index] ?? [0, -1]
      if (end < start) return false
      const wanted = this.#text.slice(start, end)
      this.#meter?.spend(1 + (wanted.length >> 3))
      const there = this.#text.slice(at, at + wanted.length)
      const same = this.#flags.includes('i') ? there.toLowerCase() === wanted.toLowerCase() : there === wanted
      return same && next(at + wanted.length)
    }
  }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000 && at > 0
}
