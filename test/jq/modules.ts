/** The modules that the tests of jq import. */
import type { ModuleResolver } from '../../src/jq/index.ts'

const sources: Readonly<Record<string, string>> = {
  a: 'module {version: 1.7}; def a: "a";',
  b: 'def a: "b"; def b: "c";',
  c: `module {whatever: null};
import "a" as foo;
import "d" as d {search: "./"};
import "d" as d2 {search: "./"};
import "e" as e {search: "./../lib/jq"};
import "f" as f {search: "./../lib/jq"};
import "data" as $d;
def a: 0;
def c: if $d::d[0].this != "is a test" or d2::meh != d::meh or f::f != "f" then error("modules are mixed up")
  else foo::a + "c" + d::meh + e::bah end;`,
  d: 'def meh: "meh";',
  e: 'def bah: "bah";',
  f: 'def f: "f";',
  shadow1: 'def e: 1; def e: 2;',
  shadow2: 'def e: 3;',
  syntaxerror: 'wat;',
  test_bind_order: `import "order0" as t; import "order1" as t; import "order2" as t;
def check: [t::sym0, t::sym1, t::sym2] == [0, 1, 2];`,
  order0: 'def sym0: 0; def sym1: 0;',
  order1: 'def sym1: 1; def sym2: 1;',
  order2: 'def sym2: 2;',
}

export const testModules: ModuleResolver = ({ path, data }) => {
  if (data) return { name: `${path}.json`, data: [{ this: 'is a test', that: 'is too' }] }
  const source = sources[path]
  return source === undefined ? undefined : { name: `${path}.jq`, source }
}
