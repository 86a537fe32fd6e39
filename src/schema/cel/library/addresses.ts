/** `ip` and `cidr`: IPv4 and IPv6 addresses and networks. */
import type { Environment } from '@marcbachmann/cel-js'
import { type Address, contains, formatIp, masked, type Network, parseCidr, parseIp } from '../../addresses.ts'
import { registerAll, registerNamespace } from './registration.ts'

class CelIp {
  readonly address: Address

  constructor(address: Address) {
    this.address = address
  }
}

class CelCidr {
  readonly network: Network

  constructor(network: Network) {
    this.network = network
  }
}

export function registerAddresses(environment: Environment): void {
  environment.registerType('net.IP', { ctor: CelIp, fields: {} })
  environment.registerType('net.CIDR', { ctor: CelCidr, fields: {} })
  registerNamespace(environment, 'ip', 'IpNamespace')
  registerAll(environment, {
    'ip(string): net.IP': ip,
    'isIP(string): bool': (text: string) => strictIp(text) !== undefined,
    'IpNamespace.isCanonical(string): bool': (_: unknown, text: string) => formatIp(ip(text).address) === text,
    'net.IP.family(): int': ({ address }: CelIp) => BigInt(address.family),
    'net.IP.isUnspecified(): bool': ({ address }: CelIp) => address.bits === 0n,
    'net.IP.isLoopback(): bool': ({ address }: CelIp) => within(address, '127.0.0.0/8', '::1/128'),
    'net.IP.isLinkLocalMulticast(): bool': ({ address }: CelIp) => within(address, '224.0.0.0/24', 'ff02::/16'),
    'net.IP.isLinkLocalUnicast(): bool': ({ address }: CelIp) => within(address, '169.254.0.0/16', 'fe80::/10'),
    'net.IP.isGlobalUnicast(): bool': ({ address }: CelIp) =>
      address.bits !== 0n &&
      !within(address, '255.255.255.255/32', '::/128') &&
      !within(address, '127.0.0.0/8', '::1/128') &&
      !within(address, '224.0.0.0/4', 'ff00::/8') &&
      !within(address, '169.254.0.0/16', 'fe80::/10'),
    'string(net.IP): string': ({ address }: CelIp) => formatIp(address),
    'cidr(string): net.CIDR': cidr,
    'isCIDR(string): bool': (text: string) => parseCidr(text) !== undefined,
    'net.CIDR.containsIP(net.IP): bool': ({ network }: CelCidr, other: CelIp) => contains(network, other.address),
    'net.CIDR.containsIP(string): bool': ({ network }: CelCidr, other: string) => contains(network, ip(other).address),
    'net.CIDR.containsCIDR(net.CIDR): bool': containsCidr,
    'net.CIDR.containsCIDR(string): bool': (outer: CelCidr, inner: string) => containsCidr(outer, cidr(inner)),
    'net.CIDR.ip(): net.IP': ({ network }: CelCidr) => new CelIp(network.address),
    'net.CIDR.masked(): net.CIDR': ({ network }: CelCidr) =>
      new CelCidr({ address: masked(network), prefix: network.prefix }),
    'net.CIDR.prefixLength(): int': ({ network }: CelCidr) => BigInt(network.prefix),
    'string(net.CIDR): string': ({ network }: CelCidr) => `${formatIp(network.address)}/${network.prefix}`,
  })
  environment.registerOperator('net.IP == net.IP', (a: CelIp, b: CelIp) => sameAddress(a.address, b.address))
  environment.registerOperator(
    'net.CIDR == net.CIDR',
    (a: CelCidr, b: CelCidr) =>
      a.network.prefix === b.network.prefix && sameAddress(a.network.address, b.network.address),
  )
}

/** Unlike formats, CEL rejects leading zeros. */
function strictIp(text: string): Address | undefined {
  return /(?:^|\.)0\d/.test(text) ? undefined : parseIp(text)
}

function ip(text: string): CelIp {
  const address = strictIp(text)
  if (address === undefined)
    throw new TypeError(`IP Address ${JSON.stringify(text)} parse error during conversion from string`)
  return new CelIp(address)
}

function cidr(text: string): CelCidr {
  const network = parseCidr(text)
  if (network === undefined)
    throw new TypeError(`network address parse error during conversion from string: ${JSON.stringify(text)}`)
  return new CelCidr(network)
}

function containsCidr(outer: CelCidr, inner: CelCidr): boolean {
  return outer.network.prefix <= inner.network.prefix && contains(outer.network, masked(inner.network))
}

function within(address: Address, network4: string, network6: string): boolean {
  const network = parseCidr(address.family === 4 ? network4 : network6)
  return network !== undefined && contains(network, address)
}

function sameAddress(a: Address, b: Address): boolean {
  return a.family === b.family && a.bits === b.bits
}
