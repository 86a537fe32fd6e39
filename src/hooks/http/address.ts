/** Addresses of HTTP requests: how they are shown, which of their parts are secrets, and who may refuse them. */

/** Returns why the address may not be called, or undefined when it may. @example (url) => (url.hostname === 'localhost' ? 'is this host' : undefined) */
export type AddressPolicy = (url: URL) => string | undefined

export const allowEveryAddress: AddressPolicy = () => undefined

/** The only part of an address that is ever shown: path and query are often credentials, such as those of a chat webhook. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'no address'
}

/** A shorter segment of a path is a word, not a credential. */
const minSecretSegmentLength = 8

/** Parts of an address that a response may repeat and a message must not. */
export function secretParts(url: URL): readonly string[] {
  const { href, pathname, search, username, password, searchParams } = url
  const segments = pathname.split('/').slice(1)
  const ends = segments.map((_, index) => segments.slice(index).join('/'))
  const parts = [...ends, ...segments, ...searchParams.values()]
  const long = parts.filter(({ length }) => length >= minSecretSegmentLength)
  return [href, `${pathname}${search}`, pathname, search, username, password, ...long].filter(
    ({ length }) => length > 1,
  )
}
