/**
 * Built-in functions that are defined in jq. Each is parsed on first use and cached. Functions that also have a faster form for values
 * (`special.ts`) are used from here in paths.
 */
import type { Definition } from '../syntax/ast.ts'
import { parseProgram } from '../syntax/program.ts'

const sources: readonly string[] = [
  'def map(f): [.[] | f];',
  'def select(f): if f then . else empty end;',
  'def map_values(f): .[] |= f;',
  'def recurse(f): def r: ., (f | r); r;',
  'def recurse(f; cond): def r: ., (f | select(cond) | r); r;',
  'def recurse: recurse(.[]?);',
  'def values: select(. != null);',
  'def nulls: select(. == null);',
  'def booleans: select(type == "boolean");',
  'def numbers: select(type == "number");',
  'def strings: select(type == "string");',
  'def arrays: select(type == "array");',
  'def objects: select(type == "object");',
  'def iterables: select(type | . == "array" or . == "object");',
  'def scalars: select(type | . != "array" and . != "object");',
  'def finites: select(isfinite);',
  'def normals: select(isnormal);',
  'def isfinite: type == "number" and (isinfinite | not);',
  'def error(message): message | error;',
  'def halt_error: halt_error(5);',
  'def todate: strftime("%Y-%m-%dT%H:%M:%SZ");',
  'def todateiso8601: todate;',
  'def fromdate: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;',
  'def fromdateiso8601: fromdate;',
  'def date: todate;',
  'def dateadd(unit; $n): . + $n;',
  'def datesub(unit; $n): . - $n;',
  'def with_entries(f): to_entries | map(f) | from_entries;',
  'def sort_by(f): _sort_by(map([f]));',
  'def group_by(f): _group_by(map([f]));',
  'def unique_by(f): _unique_by(map([f]));',
  'def min_by(f): _min_by(map([f]));',
  'def max_by(f): _max_by(map([f]));',
  'def add(f): reduce f as $x (null; . + $x);',
  'def range($n): range(0; $n);',
  'def first: .[0];',
  'def last: .[-1];',
  'def nth($n): .[$n];',
  'def first(f): label $out | (f | ., break $out);',
  'def limit($n; f): if $n > 0 then label $out | foreach f as $x (0; . + 1; $x, if . >= $n then break $out else empty end) elif $n == 0 then empty else error("limit doesn\'t support negative count") end;',
  'def skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) elif $n == 0 then f else error("skip doesn\'t support negative count") end;',
  'def nth($n; f): if $n < 0 then error("nth doesn\'t support negative indices") else first(skip($n; f)) end;',
  'def until(cond; next): def u: if cond then . else (next | u) end; u;',
  'def while(cond; next): def w: if cond then ., (next | w) else empty end; w;',
  'def repeat(f): def r: ., (f | r); r;',
  'def isempty(f): first((f | false), true);',
  'def any(generator; condition): isempty(first(generator | condition or empty)) | not;',
  'def all(generator; condition): isempty(first(generator | condition and empty));',
  'def any(f): any(.[]; f);',
  'def all(f): all(.[]; f);',
  'def any: any(.);',
  'def all: all(.);',
  'def in(xs): . as $x | xs | has($x);',
  'def inside(xs): . as $x | xs | contains($x);',
  'def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;',
  'def combinations(n): . as $dot | [range(n) | $dot] | combinations;',
  'def walk(f): def w: (if type == "object" then map_values(w) elif type == "array" then map(w) else . end) | f; w;',
  'def env: $ENV;',
  'def paths: path(..) | select(length > 0);',
  'def paths(f): path(.. | select(f)) | select(length > 0);',
  'def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));',
  'def debug(messages): (messages | debug | empty), .;',
  'def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;',
  'def scan($re): scan($re; null);',
  'def match($re): _matcher($re) as [$r, $f] | match($r; $f);',
  'def match(re; flags): _match(re; flags; false)[];',
  'def test($re): _matcher($re) as [$r, $f] | test($r; $f);',
  'def test(re; flags): _match(re; flags; true);',
  'def capture(re; flags): match(re; flags) | _captured;',
  'def capture($re): _matcher($re) as [$r, $f] | capture($r; $f);',
  'def split($re; flags): [splits($re; flags)];',
  'def splits($re; flags): _split_match($re; flags)[];',
  'def splits($re): splits($re; null);',
  'def sub($re; replacement): sub($re; replacement; "");',
  'def gsub($re; replacement): sub($re; replacement; "g");',
  'def gsub($re; replacement; $flags): sub($re; replacement; $flags + "g");',
  'def truncate_stream(stream): . as $depth | null | stream | select((.[0] | length) > $depth) | .[0] |= .[$depth:];',
  'def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);',
  'def INDEX(f): INDEX(.[]; f);',
  'def JOIN($index; f): [.[] | [., $index[f]]];',
  'def JOIN($index; stream; f): stream | [., $index[f]];',
  'def JOIN($index; stream; f; join): stream | [., $index[f]] | join;',
  'def IN(stream): any(stream == .; .);',
  'def IN(source; stream): any(source == stream; .);',
  'def index($i): indices($i) | .[0];',
  'def rindex($i): indices($i) | .[-1:][0];',
  'def ltrimstr($x): if startswith($x) then .[($x | length):] else . end;',
  'def rtrimstr($x): if endswith($x) then .[:length - ($x | length)] else . end;',
  'def trimstr($x): ltrimstr($x) | rtrimstr($x);',
  'def del(f): delpaths([path(f)]);',
  'def flatten: flatten(1000000000);',
  'def get_search_list: [];',
  'def get_prog_origin: null;',
  'def get_jq_origin: null;',
]

const byName: ReadonlyMap<string, string> = new Map(
  sources.map((source) => {
    const [, name = '', parameters = ''] = /^def (\w+)(?:\(([^)]*)\))?:/.exec(source) ?? []
    return [`${name}/${parameters === '' ? 0 : parameters.split(';').length}`, source]
  }),
)
const parsed = new Map<string, Definition>()

export function preludeDefinition(key: string): Definition | undefined {
  const known = parsed.get(key)
  if (known) return known
  const source = byName.get(key)
  if (source === undefined) return undefined
  const [definition] = parseProgram({ name: '<builtin>', text: source }).definitions
  if (definition) parsed.set(key, definition)
  return definition
}

export function preludeNames(): string[] {
  return [...byName.keys()].filter((name) => !name.startsWith('_'))
}
