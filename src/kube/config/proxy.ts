/** The proxy from the environment, by the rules of Go's HTTP client, which kubectl uses. */
import type { Runtime } from '../../runtime/index.ts'

export function proxyFor(server: string, env: Runtime['env']): string | undefined {
  const { protocol, hostname, port } = new URL(server)
  const names = protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy']
  const proxy = names.map((name) => env[name]).find((value) => value)
  if (proxy === undefined || isLoopback(hostname)) return undefined
  const exceptions = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').map((item) => item.trim().toLowerCase())
  if (exceptions.some((item) => item !== '' && matches(item, hostname, port))) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

function matches(exception: string, host: string, port: string): boolean {
  if (exception === '*') return true
  if (exception.includes('/')) return inNetwork(host, exception)
  const [name = '', onlyPort] = exception.split(':')
  if (onlyPort !== undefined && onlyPort !== port) return false
  const bare = name.replace(/^\*?\./, '')
  return name === bare ? host === bare || host.endsWith(`.${bare}`) : host.endsWith(`.${bare}`)
}

/** IPv4 networks such as 10.0.0.0/8, the usual form for service and pod addresses. */
function inNetwork(host: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/')
  const [address, start, size] = [ipv4(host), ipv4(base), Number(bits)]
  if (address === undefined || start === undefined || !(size >= 0 && size <= 32)) return false
  const width = 2 ** (32 - size)
  return Math.floor(address / width) === Math.floor(start / width)
}

function ipv4(text: string): number | undefined {
  const parts = text.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}
