/** `format.dns1123Label().validate(text)`: the reasons why a text does not have the named format. */
import { type Environment, Optional } from '@marcbachmann/cel-js'
import { formatCheck } from '../../formats.ts'
import { registerAll, registerNamespace } from './registration.ts'

class NamedFormat {
  readonly check: (text: string) => readonly string[]

  constructor(check: (text: string) => readonly string[]) {
    this.check = check
  }
}

function pattern(source: RegExp, maxLength: number, reason: string): NamedFormat {
  return new NamedFormat((text) => [
    ...(text.length > maxLength ? [`must be no more than ${maxLength} characters`] : []),
    ...(source.test(text) ? [] : [reason]),
  ])
}

function known(name: string): NamedFormat {
  return new NamedFormat((text) => (formatCheck(name)?.(text) === false ? [`invalid ${name}`] : []))
}

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const labelReason =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
const subdomainReason =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const labelReason1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
const valueReason =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const nameReason =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

const formats = new Map<string, NamedFormat>([
  ['dns1123Label', pattern(new RegExp(`^${label}$`), 63, labelReason)],
  ['dns1123Subdomain', pattern(new RegExp(`^${label}(?:\\.${label})*$`), 253, subdomainReason)],
  ['dns1035Label', pattern(/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/, 63, labelReason1035)],
  ['dns1123LabelPrefix', pattern(/^[a-z0-9][-a-z0-9]*$/, 63, labelReason)],
  ['dns1123SubdomainPrefix', pattern(/^[a-z0-9][-.a-z0-9]*$/, 253, subdomainReason)],
  ['dns1035LabelPrefix', pattern(/^[a-z][-a-z0-9]*$/, 63, labelReason1035)],
  ['labelValue', pattern(/^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/, 63, valueReason)],
  ['qualifiedName', pattern(/^(?:[a-z0-9][-a-z0-9.]*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/, 317, nameReason)],
  ['uri', known('uri')],
  ['uuid', known('uuid')],
  ['byte', known('byte')],
  ['date', known('date')],
  ['datetime', known('datetime')],
])

export function registerFormats(environment: Environment): void {
  registerNamespace(environment, 'format', 'FormatNamespace')
  environment.registerType('kubernetes.NamedFormat', { ctor: NamedFormat, fields: {} })
  for (const [name, format] of formats) {
    registerAll(environment, { [`FormatNamespace.${name}(): kubernetes.NamedFormat`]: () => format })
  }
  registerAll(environment, {
    'FormatNamespace.named(string): optional<kubernetes.NamedFormat>': (_: unknown, name: string) =>
      Optional.of(formats.get(name)),
    'kubernetes.NamedFormat.validate(string): optional<list<string>>': (format: NamedFormat, text: string) => {
      const reasons = format.check(text)
      return reasons.length === 0 ? Optional.none() : Optional.of(reasons)
    },
  })
}
