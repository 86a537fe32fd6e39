/**
 * What differs from one walk to the next is replaced before a screen is kept, by something of the same kind and, where it may stand in a table, of
 * the same length. This is the complete list:
 *
 * | on the screen | in the kept screen |
 * |---|---|
 * | the home folder of the walk | `/home/you` |
 * | ports above 1023 | `40001`, `40002`, … in the order of their appearance |
 * | the random end of a pod's name, generated ids | `aaaaa`, `bbbbb`, … in the order of their appearance |
 * | ages and durations of less than a minute | `2s` |
 * | the name of the user, of the machine, and numbers of processes | `you`, `laptop`, `1234567890` |
 * | the version of the package | `0.0.0` |
 * | times of day and dates | `2026-01-01T12:00:00` |
 * | what a cell that is cut still shows after a duration | left out |
 * | lines of `kubectl rollout status` and `carabiner rollout status --wait` about the way there | left out |
 * | lines about the build of the checkout | left out |
 * | the table of pods that need a look: those of hooks are deleted soon after their end | left out |
 * | the `^C` of the terminal in front of a prompt, and spaces that depend on a duration | left out |
 * | the chart of `rollout watch`, whose columns are moments | left out |
 */
import { replaceStyled, type StyledLine } from './styled.ts'

const home = '/home/you'

interface Remembered {
  /** What was agreed for a value. */
  readonly agreed: ReadonlyMap<string, string>
  /** How many other values of the kind came before it. */
  nth(kind: string, value: string): number
}

interface Rule {
  readonly pattern: RegExp
  replace(match: readonly string[], of: Remembered): string
}

const letters = 'abcdefghjkmnpqrstvwxz'
/** The same letter repeated as often as the original is long. */
const lettersFor = (value: string, index: number) => (letters[index % letters.length] ?? 'a').repeat(value.length)
const rules: readonly Rule[] = [
  { pattern: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?/g, replace: () => '2026-01-01T12:00:00' },
  {
    pattern: /(?<=(?:127\.0\.0\.1|localhost|port):? ?)\d{4,5}\b/g,
    replace: ([port = ''], { agreed, nth }) => agreed.get(port) ?? String(40_001 + nth('port', port)),
  },
  // Replicas of a ReplicaSet, pods of Jobs and of DaemonSets end with five characters of this alphabet.
  {
    pattern: /(?<=[a-z\d]-)[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z\d-])/g,
    replace: ([end = ''], { nth }) => lettersFor(end, nth('pod', end)),
  },
  {
    pattern: /(?<=\b(?:ROLLOUT|ROLLBACK|CREATE) )[\da-f]{8}\b/g,
    replace: ([id = ''], { nth }) => lettersFor(id, nth('id', id)),
  },
  { pattern: /(?<=[-…])[\da-f]{6,10}(?=-\d+\b)/g, replace: ([id = ''], { nth }) => lettersFor(id, nth('id', id)) },
  // Ages stand at the left of their column, durations at the right of theirs: with the spaces beside it each keeps its length.
  {
    pattern: /(?<![\w.:-])\d{1,2}s(?![\w-])(?: {2,})?/g,
    replace: ([age = '']) => '2s'.padEnd(age.length > 3 ? age.length : 0),
  },
  {
    pattern: /(?: {2,})?(?<![\w.:-])\d+(?:\.\d)? m?s(?![\w-])/g,
    replace: ([time = '']) => (time.startsWith('   ') ? '2 s'.padStart(time.length) : `${/^ */.exec(time)?.[0]}2 s`),
  },
  { pattern: /(?<=2 s, )[^…]+(?=…$)/g, replace: () => '' },
  { pattern: /(?<=identity=)\S+_[\da-f-]{36}/g, replace: () => 'laptop_00000000-0000-4000-8000-000000000000' },
  { pattern: /(?<=\/)[a-z\d]{8}(?=\/\d+\/)/g, replace: ([id = ''], { nth }) => lettersFor(id, nth('id', id)) },
  { pattern: /(?<=-)\d{10}\b/g, replace: () => '1234567890' },
  { pattern: /(?<=on this machine as )\S+(?=,)/g, replace: () => 'you' },
  { pattern: /(?<=\bcarabiner@)\d+\.\d+\.\d+/g, replace: () => '0.0.0' },
  { pattern: /(?<=\()\d+\.\d+(?=ms\))|(?<=duration_ms )[\d.]+/g, replace: () => '2' },
  { pattern: /^\^C(?=\$ )/g, replace: () => '' },
  { pattern: /(?<=added \d+ packages? in )\d+m?s/g, replace: () => '2s' },
]

/** Printed while something goes on; whether and how often is a matter of time. */
const progress =
  /^(Waiting for (deployment|daemon set|statefulset|\d+ pods)\b.*(to finish|to be ready|rolling update)|[✓●] at \d)/
/** The first start of a checkout builds it. */
const build = /^carabiner: (building|bundling|installing packages) …$/
const chart = /^.{8}[│└]| {9}0 {3,}/

/** From its head to the next empty line. */
function withoutPods(lines: readonly StyledLine[]): readonly StyledLine[] {
  const from = lines.findIndex(({ text }) => /^POD +STATE +READY/.test(text))
  if (from < 0) return lines
  const length = lines.slice(from).findIndex(({ text }) => text === '')
  return [...lines.slice(0, Math.max(0, from - 1)), ...(length < 0 ? [] : lines.slice(from + length))]
}

const duration = /^ *(?:[\d.]+ ?m?s)? *$/

/**
 * The column of durations in the table of hooks is as wide as the longest one: here as wide as its head. A message that does not fit beside it
 * stands below its row.
 */
function withNarrowTook(lines: readonly StyledLine[]): readonly StyledLine[] {
  const head = lines.findIndex(({ text }) => / TOOK(?: +MESSAGE)?$/.test(text))
  const { text: heads = '' } = lines[head] ?? {}
  const from = heads.indexOf('TOOK')
  const gap = /ATTEMPTS( +)TOOK/.exec(heads)?.[1]?.length
  if (gap === undefined) return lines
  const message = heads.indexOf('MESSAGE')
  const to = message < 0 ? Number.POSITIVE_INFINITY : message - gap
  const end = lines.findIndex((line, index) => index > head && line.text === '')
  return lines.map((line, index) => {
    const cell = line.text.slice(from, to)
    const isRow = index > head && (end < 0 || index < end) && duration.test(cell)
    if (index !== head && !isRow) return line
    const put = index === head ? 'TOOK' : cell.trim() === '' ? cell.slice(0, 4) : ' 2 s'
    const styles = Array.from(put, () => line.styles[from] ?? '')
    return {
      text: line.text.slice(0, from) + put + line.text.slice(to),
      styles: [...line.styles.slice(0, from), ...styles, ...line.styles.slice(to)],
    }
  })
}

/** Replaces in all screens of one walk: one value has one stand-in. */
export class StandIns {
  readonly #home: string
  readonly #seen = new Map<string, Map<string, number>>()
  readonly #agreed = new Map<string, string>()

  constructor(folder: string) {
    this.#home = folder
  }

  /** From now on `value` is replaced by `standIn`. */
  know(value: string, standIn: string): void {
    this.#agreed.set(value, standIn)
  }

  replace(lines: readonly StyledLine[]): readonly StyledLine[] {
    const kept = withNarrowTook(withoutPods(lines)).filter(
      ({ text }) => ![progress, build, chart].some((left) => left.test(text)),
    )
    const all: readonly Rule[] = [{ pattern: new RegExp(this.#home, 'g'), replace: () => home }, ...rules]
    const remembered = { agreed: this.#agreed, nth: this.#nth }
    return kept.map((line) =>
      all.reduce((text, rule) => replaceStyled(text, rule.pattern, (match) => rule.replace(match, remembered)), line),
    )
  }

  readonly #nth = (kind: string, value: string): number => {
    const known = this.#seen.get(kind) ?? new Map<string, number>()
    this.#seen.set(kind, known)
    const index = known.get(value) ?? known.size
    known.set(value, index)
    return index
  }
}
