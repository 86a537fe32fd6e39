/** Parses method and path of a request into the attributes used for authorization, audit and routing. */
export interface RequestInfo {
  readonly path: string
  /** Lower-case HTTP method for non-resource requests. */
  readonly verb: string
  readonly isResource: boolean
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

const namespaceSubresources = new Set(['status', 'finalize'])

export function requestInfoOf(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nothing = {
    path,
    isResource: false,
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
  }
  const other = { ...nothing, verb: method.toLowerCase() }
  const parts = path.split('/').filter((part, index, all) => part !== '' || (index > 0 && index < all.length - 1))
  let position = 0
  let group = ''
  if (parts[0] === 'apis') {
    if (parts.length < 4) return other
    group = parts[1] ?? ''
    position = 2
  } else if (parts[0] === 'api') {
    if (parts.length < 3) return other
    position = 1
  } else return other
  const version = parts[position] ?? ''
  let rest = parts.slice(position + 1)
  let namespace = ''
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? ''
    if (rest.length > 2 && !namespaceSubresources.has(rest[2] ?? '')) rest = rest.slice(2)
  }
  const [resource = '', name = '', subresource = ''] = rest.map(decode)
  const info = { path, isResource: true, group, version, namespace: decode(namespace), resource, subresource, name }
  return { ...info, ...refined(verbs[method] ?? '', info.name, query) }
}

function refined(verb: string, name: string, query: URLSearchParams): { verb: string; name: string } {
  if (name !== '') return { verb, name }
  if (verb === 'delete') return { verb: 'deletecollection', name }
  if (verb !== 'get') return { verb, name }
  const watch = query.get('watch')
  const selected = /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1] ?? ''
  return { verb: watch !== null && !/^(false|0)$/i.test(watch) ? 'watch' : 'list', name: selected }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
