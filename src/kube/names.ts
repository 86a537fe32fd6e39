/**
 * What the API takes as names and labels, for whatever is looked at before a server is asked. Sentences about a refusal belong to whoever
 * knows where the name stands.
 */

/** A DNS label: the names of namespaces. */
export const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
export const longestLabel = 63

/** A DNS subdomain: the names of most objects. */
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
export const longestName = 253

const labelName = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

export function isNamespaceName(text: string): boolean {
  return text.length <= longestLabel && dnsLabel.test(text)
}

export function isObjectName(text: string): boolean {
  return text.length <= longestName && dnsSubdomain.test(text)
}

/** A name, and before it the domain of who gave it: `app`, `example.com/app`. */
export function isLabelKey(text: string): boolean {
  const [name = '', domain, ...more] = text.split('/').toReversed()
  return isLabelName(name) && (domain === undefined || isObjectName(domain)) && more.length === 0
}

export function isLabelValue(text: string): boolean {
  return text === '' || isLabelName(text)
}

function isLabelName(text: string): boolean {
  return text.length <= longestLabel && labelName.test(text)
}
