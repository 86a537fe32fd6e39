/** `url` and `isURL`: parses absolute URLs and absolute paths. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll } from './registration.ts'

class CelUrl {
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string

  constructor(scheme: string, host: string, path: string, query: string) {
    this.scheme = scheme
    this.host = host
    this.path = path
    this.query = query
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? ''
  }

  equals(other: CelUrl): boolean {
    return (
      this.scheme === other.scheme && this.host === other.host && this.path === other.path && this.query === other.query
    )
  }
}

export function registerUrls(environment: Environment): void {
  environment.registerType('kubernetes.URL', { ctor: CelUrl, fields: {} })
  registerAll(environment, {
    'url(string): kubernetes.URL': (text: string) => {
      const url = parse(text)
      if (url === undefined)
        throw new TypeError(`URL parse error during conversion from string: invalid URI ${JSON.stringify(text)}`)
      return url
    },
    'isURL(string): bool': (text: string) => parse(text) !== undefined,
    'kubernetes.URL.getScheme(): string': (url: CelUrl) => url.scheme,
    'kubernetes.URL.getHost(): string': (url: CelUrl) => url.host,
    'kubernetes.URL.getHostname(): string': (url: CelUrl) => url.hostname,
    'kubernetes.URL.getPort(): string': (url: CelUrl) => url.port,
    'kubernetes.URL.getEscapedPath(): string': (url: CelUrl) => url.path,
    'kubernetes.URL.getQuery(): map<string, list<string>>': (url: CelUrl) => {
      const query: Record<string, string[]> = {}
      const parameters = new URLSearchParams(url.query)
      for (const name of new Set(parameters.keys())) {
        Object.defineProperty(query, name, { value: parameters.getAll(name), enumerable: true })
      }
      return query
    },
  })
  environment.registerOperator('kubernetes.URL == kubernetes.URL', (a: CelUrl, b: CelUrl) => a.equals(b))
}

function parse(text: string): CelUrl | undefined {
  if (!/^[!-~\u{80}-\u{10ffff}]+$/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return undefined
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?]*))?(\/[^?]*)?(?:\?(.*))?$/u.exec(text)
  if (parts === null || (parts[1] === undefined && parts[3] === undefined)) return undefined
  const host = (parts[2] ?? '').replace(/^.*@/, '')
  if (/[<>"{}|\\^`]/.test(host)) return undefined
  return new CelUrl(parts[1]?.toLowerCase() ?? '', host, parts[3] ?? '', parts[4] ?? '')
}
