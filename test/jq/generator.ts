/**
 * Random programs and inputs for comparisons with jq. Programs are generated from the grammar, so they nearly always parse and usually
 * fit the inputs, which use the same few keys and strings.
 */
import fc from 'fast-check'

const keys = ['a', 'b', 'c', 'name', 'labels', '__proto__', 'constructor', 'k-é', 'length']
const strings = ['', 'a', 'b', 'ab', 'a,b, c', 'Hello World', 'é😀x', '12.5', 'true', '2015-03-05T23:51:47Z', ' pad ']
const numbers = ['0', '1', '2', '3', '-1', '10', '1.5', '-0.5', '100', '1e3', '0.1', '12345678901234567890', '1.0']

const quoted = fc.constantFrom(...strings).map((text) => JSON.stringify(text))

export const input: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    fc.constantFrom(...numbers),
    quoted,
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...keys), tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
})).value

/** Functions without arguments that can be applied to any value. */
const plainFunctions =
  `length utf8bytelength not keys keys_unsorted values nulls booleans numbers strings arrays objects
  iterables scalars map_values(.) add any all flatten floor sqrt tojson fromjson tostring tonumber toboolean type sort unique
  reverse min max group_by(.) to_entries from_entries first last paths leaf_paths ascii_downcase ascii_upcase explode implode
  ltrim rtrim trim abs isvalid recurse tostream transpose transpose env @text @json @html @uri @base64 @base64d @sh @csv @tsv
  gmtime round ceil fabs trunc significand logb isnan isinfinite isnormal empty error input_filename
  combinations halt_error splits("a") ascii fromdate tojson|fromjson have_literal_numbers getpath(["a","b"]) pick(.a) toarray`
    .split(/\s+/)
    .filter((name) => !/^(leaf_paths|isvalid|halt_error|ascii|input_filename|env|toarray)$/.test(name))

const pathTexts = [
  '.',
  '.a',
  '.b',
  '.["a"]',
  '.[0]',
  '.[-1]',
  '.[]',
  '.[1:]',
  '.[:2]',
  '.a.b',
  '.[0].a',
  '.labels.name',
  '..',
  '.a[]?',
  '.[]?',
  '.a?',
  '.constructor',
  '.__proto__',
]

const arithmetic = ['+', '-', '*', '/', '%']
const comparisons = ['==', '!=', '<', '<=', '>', '>=']
const updates = ['=', '|=', '+=', '-=', '*=', '//=']

interface Grammar {
  expression: string
  path: string
}

const expression: fc.Arbitrary<string> = fc.letrec<Grammar>((tie) => {
  const e = tie('expression') as fc.Arbitrary<string>
  const p = tie('path') as fc.Arbitrary<string>
  const shape =
    (...parts: readonly fc.Arbitrary<string>[]) =>
    (build: (...texts: string[]) => string) =>
      fc.tuple(...parts).map((texts) => build(...texts))
  const atom = fc.oneof(
    fc.constantFrom(...pathTexts),
    fc.constantFrom(...pathTexts),
    fc.constantFrom(...plainFunctions),
    fc.constantFrom(...numbers),
    quoted,
    fc.constantFrom('null', 'true', 'false', '[]', '{}', '$__loc__.line', 'infinite', '-(1)', 'nan|isnan', '[.[]?]'),
  )
  return {
    path: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...pathTexts),
      shape(p, p)((a, b) => `${a} | ${b}`),
      shape(p, p)((a, b) => `(${a}, ${b})`),
      shape(p, e)((a, b) => `${a} | select(${b})`),
      shape(e)((a) => `.[${a}]`),
      shape(e, p, p)((a, b, c) => `if ${a} then ${b} else ${c} end`),
      shape(p, p)((a, b) => `(${a} // ${b})`),
      shape(p)((a) => `first(${a})`),
      shape(p)((a) => `limit(2; ${a})`),
      shape(p)((a) => `recurse(${a} | .[]?)`),
      shape(p)((a) => `(${a})?`),
      shape(e, e)((a, b) => `.[${a}:${b}]`),
      shape(p, p)((a, b) => `(${a}) as $x | ${b}`),
      shape(e)((a) => `getpath(${a})`),
    ),
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      atom,
      shape(e, e)((a, b) => `${a} | ${b}`),
      shape(e, e)((a, b) => `(${a} | ${b})`),
      shape(e, e)((a, b) => `(${a}, ${b})`),
      shape(fc.constantFrom(...arithmetic), e, e)((o, a, b) => `((${a}) ${o} (${b}))`),
      shape(fc.constantFrom(...comparisons), e, e)((o, a, b) => `((${a}) ${o} (${b}))`),
      shape(fc.constantFrom('and', 'or', '//'), e, e)((o, a, b) => `((${a}) ${o} (${b}))`),
      shape(e)((a) => `[${a}]`),
      shape(
        fc.constantFrom('a', 'b', '"k-é"', '("k\\(.a)")', '"k\\(.)"'),
        e,
        e,
      )((k, a, b) => `{${k}: (${a}), c: (${b})}`),
      shape(e)((a) => `[.[] | ${a}]`),
      shape(e)((a) => `map(${a})`),
      shape(e)((a) => `map_values(${a})`),
      shape(e)((a) => `with_entries(${a})`),
      shape(e)((a) => `select(${a})`),
      shape(e, e, e)((a, b, c) => `if ${a} then ${b} else ${c} end`),
      shape(e, e)((a, b) => `(try (${a}) catch (${b}))`),
      shape(e)((a) => `(${a})?`),
      shape(e, e)((a, b) => `((${a}) as $v | ${b} | [$v, .])`),
      shape(e)((a) => `[(${a}) as [$v, {a: $w}] ?// {a: $v} ?// $v | [$v, $w]]`),
      shape(e, e)((a, b) => `(reduce (${a}) as $v (first(${b}); . + [$v]))`),
      shape(e, e, e)((a, b, c) => `[foreach (${a}) as $v (${b}; [., $v]; ${c})]`),
      shape(e)((a) => `[limit(3; ${a})]`),
      shape(e)((a) => `first(${a})`),
      shape(e)((a) => `"<\\(${a})>"`),
      shape(e)((a) => `@json "<\\(${a})>"`),
      shape(e, e)((a, b) => `(def f(g): ${a} | g; f(${b}))`),
      shape(e, e)((a, b) => `(def f($v): ${a}; [f(${b})])`),
      shape(e, e)((a, b) => `[label $out | (${a}) | ., (${b} | break $out)]`),
      shape(p)((a) => `[path(${a})]`),
      shape(p)((a) => `del(${a})`),
      shape(p)((a) => `pick(${a})`),
      shape(fc.constantFrom(...updates), p, e)((o, a, b) => `((${a}) ${o} (${b}))`),
      shape(e)((a) => `sort_by(${a})`),
      shape(e)((a) => `group_by(${a})`),
      shape(e)((a) => `unique_by(${a})`),
      shape(e)((a) => `min_by(${a})`),
      shape(e)((a) => `[any(.[]?; ${a}), all(.[]?; ${a})]`),
      shape(e)((a) => `contains(${a})`),
      shape(e)((a) => `index(${a})`),
      shape(e)((a) => `indices(${a})`),
      shape(e)((a) => `has(${a})`),
      shape(e)((a) => `join(${a})`),
      shape(e)((a) => `split(${a})`),
      shape(e)((a) => `startswith(${a})`),
      shape(e)((a) => `ltrimstr(${a})`),
      shape(e)((a) => `flatten(${a})`),
      shape(e)((a) => `bsearch(${a})`),
      shape(e)((a) => `walk(${a})`),
      shape(e)((a) => `isempty(${a})`),
      shape(e)((a) => `error(${a})`),
      shape(e)((a) => `add(${a})`),
      shape(e)((a) => `[skip(1; ${a})]`),
      shape(e, e)((a, b) => `IN(${a}; ${b})`),
      shape(e)((a) => `INDEX("k" + (${a} | tostring))`),
      shape(e, e)((a, b) => `setpath(${a}; ${b})`),
      shape(e)((a) => `delpaths([${a}])`),
      shape(e)((a) => `[.[]? | until(. == null or type != "array"; .[0])] | ${a}`),
      shape(e)((a) => `[range(3) | . as $n | [$n, ${a}]]`),
      shape(e)((a) => `[splits("[ ,]+")] | ${a}`),
      shape(e)((a) => `gsub("(?<l>[a-z])"; "<\\(.l)>") | ${a}`),
      shape(e)((a) => `[match("a|b"; "g").offset] | ${a}`),
      shape(e)((a) => `tojson | ${a}`),
      shape(e)((a) => `[tostream] | fromstream(.[]) | ${a}`),
    ),
  }
}).expression

/** Half of the programs unchanged, half applied to every part of the input with errors as values, so that fewer end early. */
export const program: fc.Arbitrary<string> = fc.oneof(
  expression,
  expression.map((text) => `[limit(30; ..) | try [limit(9; ${text})] catch tostring]`),
)
