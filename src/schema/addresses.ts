/** Parses and formats IP addresses and networks, for formats and for CEL functions. */

export interface Address {
  readonly family: 4 | 6
  readonly bits: bigint
}

export interface Network {
  readonly address: Address
  readonly prefix: number
}

export function parseIp(text: string): Address | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

export function parseCidr(text: string): Network | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const address = parseIp(text.slice(0, slash))
  const length = text.slice(slash + 1)
  if (address === undefined || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined
  const prefix = Number(length)
  return prefix <= widthOf(address) ? { address, prefix } : undefined
}

export function isIpv4(text: string): boolean {
  return parseIpv4(text) !== undefined
}

export function isIpv6(text: string): boolean {
  return text.includes(':') && parseIpv6(text) !== undefined
}

export function isCidr(text: string): boolean {
  return parseCidr(text) !== undefined
}

export function widthOf(address: Address): 32 | 128 {
  return address.family === 4 ? 32 : 128
}

/** The address of the network with all host bits cleared. */
export function masked(network: Network): Address {
  const hostBits = BigInt(widthOf(network.address) - network.prefix)
  return { family: network.address.family, bits: (network.address.bits >> hostBits) << hostBits }
}

export function contains(network: Network, address: Address): boolean {
  if (network.address.family !== address.family) return false
  return masked({ address, prefix: network.prefix }).bits === masked(network).bits
}

export function formatIp(address: Address): string {
  if (address.family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((address.bits >> shift) & 255n)).join('.')
  }
  const groups = Array.from({ length: 8 }, (_, index) => Number((address.bits >> BigInt(112 - 16 * index)) & 0xffffn))
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start += 1) {
    let end = start
    while (end < 8 && groups[end] === 0) end += 1
    if (end - start > best.length) best = { start, length: end - start }
  }
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (best.start < 0) return text(groups)
  return `${text(groups.slice(0, best.start))}::${text(groups.slice(best.start + best.length))}`
}

function parseIpv4(text: string): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let bits = 0n
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined
    bits = (bits << 8n) | BigInt(Number(part))
  }
  return { family: 4, bits }
}

function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map(groupsOf)
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  let bits = 0n
  for (const group of [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])])
    bits = (bits << 16n) | BigInt(group)
  return { family: 6, bits }
}

function groupsOf(text: string): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined
    if (embedded !== undefined) groups.push(Number(embedded.bits >> 16n), Number(embedded.bits & 0xffffn))
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}
