/** Validation of names: label keys and values, DNS labels and subdomains, with the messages of the real API server. */
import { append } from '../../../runtime/index.ts'

const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const dns1035Label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

function tooLong(limit: number): string {
  return `must be no more than ${limit} bytes`
}

export function validateLabelValue(value: string): readonly string[] {
  const faults: string[] = []
  if (value.length > 63) faults.push(tooLong(63))
  if (!labelValue.test(value)) {
    faults.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    )
  }
  return faults
}

export function validateLabelKey(key: string): readonly string[] {
  const parts = key.split('/')
  const shape =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const faults: string[] = []
  const name = parts.at(-1) ?? ''
  if (parts.length === 2) {
    const prefix = parts[0] ?? ''
    if (prefix === '') faults.push('prefix part must be non-empty')
    else
      append(
        faults,
        validateDnsSubdomain(prefix).map((fault) => `prefix part ${fault}`),
      )
  }
  if (name === '') faults.push('name part must be non-empty')
  else if (name.length > 63) faults.push(`name part ${tooLong(63)}`)
  if (!qualifiedPart.test(name)) faults.push(shape)
  return faults
}

export function validateDnsLabel(name: string): readonly string[] {
  const faults: string[] = []
  if (name.length > 63) faults.push(tooLong(63))
  if (!dnsLabel.test(name)) {
    faults.push(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    )
  }
  return faults
}

export function validateDns1035Label(name: string): readonly string[] {
  const faults: string[] = []
  if (name.length > 63) faults.push(tooLong(63))
  if (!dns1035Label.test(name)) {
    faults.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    )
  }
  return faults
}

export function validateDnsSubdomain(name: string): readonly string[] {
  const faults: string[] = []
  if (name.length > 253) faults.push(tooLong(253))
  if (!dnsSubdomain.test(name)) {
    faults.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    )
  }
  return faults
}

/** Names that only need to be a valid path segment, such as those of RBAC objects. */
export function validatePathSegment(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}

/** A generateName is validated as if a character followed its trailing dash. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
}
