import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Json } from '../../runtime/json.ts'
import { compileCel } from './compile.ts'
import { celAuthorizer } from './library/authorizer.ts'
import { celValue } from './values.ts'

function evaluate(source: string, self: Json = {}): unknown {
  return compileCel(source, { variables: ['self'] }).evaluate({ self: celValue(self) }).value
}

function failure(run: () => unknown): CarabinerError {
  try {
    run()
  } catch (error) {
    if (error instanceof CarabinerError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the CEL functions of Kubernetes', () => {
  const pod: Json = {
    metadata: { name: 'web-0', namespace: 'shop', labels: { 'app.kubernetes.io/name': 'web' } },
    spec: {
      replicas: 3,
      ratio: 0.5,
      args: ['a', 'b'],
      ports: [
        { name: 'http', port: 80 },
        { name: 'dns', port: 53 },
      ],
    },
    nothing: null,
  }
  const truths = [
    'self.spec.replicas + 1 == 4',
    'self.spec.replicas % 2 == 1 && self.spec.ratio < 1.0',
    'has(self.metadata.name) && !has(self.metadata.uid)',
    'self.metadata.labels["app.kubernetes.io/name"] == "web"',
    'self.metadata.namespace == "shop"',
    'self.spec.ports.all(p, p.port > 0) && self.spec.ports.exists(p, p.name == "dns")',
    'self.spec.ports.exists_one(p, p.port == 80)',
    'self.spec.ports.map(p, p.port) == [80, 53]',
    'self.spec.ports.filter(p, p.port < 60).size() == 1',
    'self.metadata.labels.all(key, key.contains("/"))',
    'self.nothing == null',
    '"name" in self.metadata && !("x" in self.metadata)',
    'self.?spec.?missing.orValue(7) == 7',
    'self.?spec.replicas.optMap(r, r * 2).value() == 6',
    'optional.of(1).optFlatMap(x, optional.none()).hasValue() == false',
    'cel.bind(r, self.spec.replicas, r + r == 6)',
    '[1, 2, 3].sum() == 6 && [1.5, 2.5].sum() == 4.0 && [].sum() == 0',
    '[3, 1, 2].max() == 3 && ["b", "a"].min() == "a" && [1, 2, 2].isSorted()',
    '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1',
    '[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2]',
    '[1, 2, 3].slice(1, 3) == [2, 3] && [1, 2].reverse() == [2, 1] && lists.range(3) == [0, 1, 2]',
    'sets.contains([1, 2, 3], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])',
    '"hello".charAt(1) == "e" && "abab".replace("a", "x") == "xbxb" && "aaa".replace("a", "b", 2) == "bba"',
    '"a,b,c".split(",") == ["a", "b", "c"] && ["a", "b"].join("-") == "a-b" && "abc".substring(1, 2) == "b"',
    '"%s has %d items, %.2f%%".format(["x", 3, 12.345]) == "x has 3 items, 12.35%"',
    '"abc 123 def 456".find("[0-9]+") == "123" && "abc".find("[0-9]+") == ""',
    '"a1b22".findAll("[0-9]+") == ["1", "22"] && "a1b22".findAll("[0-9]+", 1) == ["1"]',
    '"web-0".matches("^[a-z]([-a-z0-9]*[a-z0-9])?$") && matches("x", "(?i)X")',
    'url("https://user@example.com:8443/a/b?x=1&x=2").getHostname() == "example.com"',
    'url("https://example.com:8443/a/b?x=1&x=2").getQuery()["x"] == ["1", "2"]',
    'url("https://example.com:80/p").getPort() == "80" && url("https://[::1]:80/").getHostname() == "::1"',
    'isURL("https://example.com/a") && !isURL("not a url") && url("/p").getEscapedPath() == "/p"',
    'quantity("1Gi").isGreaterThan(quantity("1000M")) && quantity("500m").add(quantity("0.5")) == quantity("1")',
    'quantity("2k").asInteger() == 2000 && !quantity("1500m").isInteger() && isQuantity("1e3") && !isQuantity("1x")',
    'quantity("1").compareTo(quantity("2")) == -1 && quantity("-1").sign() == -1 && quantity("3").sub(1) == quantity("2")',
    'ip("127.0.0.1").isLoopback() && ip("::1").family() == 6 && isIP("10.0.0.1") && !isIP("10.0.0.01")',
    'cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))',
    'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8")',
    'ip.isCanonical("::1") && !ip.isCanonical("0:0:0:0:0:0:0:1") && string(ip("::FFFF")) == "::ffff"',
    'timestamp("2024-01-01T00:00:00Z") < timestamp("2024-01-02T00:00:00Z") && duration("90m") == duration("1h30m")',
    'type(self.spec.replicas) == int && dyn(1) == 1.0',
  ]
  for (const source of truths) {
    it(source, () => expect(evaluate(source, pod)).toBe(true))
  }

  it('uses the given authorizer', () => {
    const asked: unknown[] = []
    const authorizer = celAuthorizer((question) => {
      asked.push(question)
      return { allowed: question.verb === 'get', reason: 'because' }
    })
    const condition = compileCel(
      "authorizer.group('apps').resource('deployments').namespace('a').name('b').check('get').allowed()",
      { variables: ['authorizer'], returns: 'bool' },
    )
    expect(condition.evaluate({ authorizer }).value).toBe(true)
    expect(asked).toEqual([{ group: 'apps', resource: 'deployments', namespace: 'a', name: 'b', verb: 'get' }])
    const path = compileCel("authorizer.path('/healthz').check('post').reason()", { variables: ['authorizer'] })
    expect(path.evaluate({ authorizer }).value).toBe('because')
  })
})

describe('compileCel', () => {
  it('rejects invalid expressions and shows the position', () => {
    expect(failure(() => evaluate('self.a +')).code).toBe('CRB_CEL_INVALID')
    expect(failure(() => evaluate('1 == 1 &&\n  other == 1')).message).toBe(
      'compilation failed: ERROR: <input>:2:3: Unknown variable: other\n |   other == 1\n | ..^',
    )
    expect(failure(() => evaluate('other == 1')).message).toContain('Unknown variable: other')
    expect(failure(() => evaluate('self.a.unknown()')).message).toContain('unknown')
    expect(failure(() => compileCel('1 + 1', { variables: [], returns: 'bool' })).message).toBe(
      'compilation failed: cel expression must evaluate to a bool',
    )
  })

  it('reports the variables of an expression', () => {
    const program = compileCel('self.items.all(x, x == oldSelf)', { variables: ['self', 'oldSelf', 'request'] })
    expect(['self', 'oldSelf', 'request'].map(program.uses)).toEqual([true, true, false])
  })

  it('fails with a reason', () => {
    expect(failure(() => evaluate('self.missing'))).toMatchObject({
      code: 'CRB_CEL_FAILED',
      message: 'no such key: missing evaluating: self.missing',
    })
    expect(failure(() => evaluate('self.a + "x"', { a: 1 })).message).toContain('no such overload')
    expect(failure(() => evaluate('1 / self.a', { a: 0 })).message).toContain('division by zero')
    expect(failure(() => evaluate('self.list[5]', { list: [1] })).message).toContain('index out of bounds')
  })

  const list = Array.from({ length: 1000 }, (_, index) => index)
  const bombs: readonly [string, string][] = [
    ['nested loops', 'self.l.all(a, self.l.all(b, self.l.all(c, true)))'],
    ['loops over a bound list', 'cel.bind(l, self.l.map(x, x), l.all(a, l.all(b, l.all(c, c >= 0))))'],
    ['string doubling', `${'cel.bind(s, s + s, '.repeat(40)}s.size() > 0${')'.repeat(40)}`],
    ['list doubling', `${'cel.bind(s, s + s, '.repeat(40)}s.size() > 0${')'.repeat(40)}`],
    ['comparing in a loop', 'self.l.all(a, self.l.map(x, x) == self.l.map(y, y))'],
    ['searching in a loop', 'self.l.all(a, self.l.all(b, !(-1 in self.l)))'],
  ]
  for (const [name, source] of bombs) {
    it(`stops ${name}`, () => {
      const start = name === 'list doubling' ? 'self.l' : '"0123456789"'
      const whole = name.endsWith('doubling') ? `cel.bind(s, ${start}, ${source})` : source
      expect(failure(() => evaluate(whole, { l: list })).message).toContain('actual cost limit exceeded')
    })
  }

  it('returns the cost of an evaluation', () => {
    const program = compileCel('self.l.all(x, x >= 0)', { variables: ['self'] })
    const { cost } = program.evaluate({ self: celValue({ l: list }) })
    expect(cost).toBeGreaterThan(1000)
    expect(cost).toBeLessThan(20_000)
    expect(failure(() => program.evaluate({ self: celValue({ l: list }) }, 100)).message).toContain('(100)')
  })

  it('has no access to prototypes', () => {
    for (const source of ['self.constructor', 'self.__proto__', 'self["constructor"]', 'self.s.constructor']) {
      expect(failure(() => evaluate(source, { s: 'x' })).code).toMatch(/^CRB_CEL_/)
    }
    const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Json
    expect(evaluate('self["__proto__"].a == 1 && self["constructor"] == 2', own)).toBe(true)
  })
})
