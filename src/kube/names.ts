/**
 * Which names and labels the API accepts. Callers write the error messages, because they know the field.
 */

/** A DNS label: the names of namespaces. */
export const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
export const maxLabelLength = 63

/** A DNS subdomain: the names of most objects. */
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
export const maxNameLength = 253

const labelName = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

export function isNamespaceName(text: string): boolean {
  return text.length <= maxLabelLength && dnsLabel.test(text)
}

export function isObjectName(text: string): boolean {
  return text.length <= maxNameLength && dnsSubdomain.test(text)
}

/** A name with an optional domain prefix: `app`, `example.com/app`. */
export function isLabelKey(text: string): boolean {
  const [name = '', domain, ...more] = text.split('/').toReversed()
  return isLabelName(name) && (domain === undefined || isObjectName(domain)) && more.length === 0
}

export function isLabelValue(text: string): boolean {
  return text === '' || isLabelName(text)
}

function isLabelName(text: string): boolean {
  return text.length <= maxLabelLength && labelName.test(text)
}
