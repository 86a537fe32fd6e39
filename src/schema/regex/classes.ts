/** Sets of characters, by code point. */

export type CharClass = (code: number) => boolean

type Range = readonly [number, number]

export const classes = {
  any: () => true,
  anyButNewline: (code: number) => code !== 10,
  word: (code: number) =>
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95,
} as const satisfies Record<string, CharClass>

/** ASCII characters are looked up in a table, so that the number of ranges does not matter. */
export function charClass(ranges: readonly Range[], negated: boolean, tests: readonly CharClass[]): CharClass {
  if (!negated && tests.length === 0 && ranges.length === 1) {
    const [low, high] = ranges[0] ?? [0, 0]
    return low === high ? (code) => code === low : (code) => code >= low && code <= high
  }
  const slow: CharClass = (code) =>
    (ranges.some(([low, high]) => code >= low && code <= high) || tests.some((test) => test(code))) !== negated
  const ascii = new Uint8Array(128)
  for (let code = 0; code < 128; code += 1) ascii[code] = slow(code) ? 1 : 0
  return (code) => (code < 128 ? ascii[code] === 1 : slow(code))
}

/** The ranges with both cases of every letter; only ASCII ranges and single other characters are folded. */
export function folded(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [...ranges]
  for (const [low, high] of ranges) {
    for (const [from, to, shift] of [
      [65, 90, 32],
      [97, 122, -32],
    ] as const) {
      const start = Math.max(low, from)
      const end = Math.min(high, to)
      if (start <= end) result.push([start + shift, end + shift])
    }
    if (low === high && low > 127) {
      for (const other of [String.fromCodePoint(low).toLowerCase(), String.fromCodePoint(low).toUpperCase()]) {
        const code = other.codePointAt(0) ?? low
        if ([...other].length === 1) result.push([code, code])
      }
    }
  }
  return result
}

const perl: Readonly<Record<string, readonly Range[]>> = {
  d: [[48, 57]],
  s: [
    [9, 10],
    [12, 13],
    [32, 32],
  ],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
}

export function perlClass(letter: string): CharClass | undefined {
  const lower = letter.toLowerCase()
  const ranges = Object.hasOwn(perl, lower) ? perl[lower] : undefined
  return ranges === undefined ? undefined : charClass(ranges, letter !== lower, [])
}

const posix: Readonly<Record<string, readonly Range[]>> = {
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  alpha: [
    [65, 90],
    [97, 122],
  ],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: [[48, 57]],
  graph: [[33, 126]],
  lower: [[97, 122]],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [[65, 90]],
  word: perl['w'] ?? [],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
}

export function posixClass(name: string): CharClass | undefined {
  const negated = name.startsWith('^')
  const ranges = posix[negated ? name.slice(1) : name]
  return ranges === undefined ? undefined : charClass(ranges, negated, [])
}

/** A Unicode general category (`L`, `Lu`) or script (`Greek`). */
export function unicodeClass(name: string, negated: boolean): CharClass | undefined {
  for (const property of [name, `Script=${name}`]) {
    try {
      const test = new RegExp(`^\\p{${property}}$`, 'u')
      return charClass([], negated, [(code) => test.test(String.fromCodePoint(code))])
    } catch {
      // Not a property of this kind; try the next kind.
    }
  }
  return undefined
}
