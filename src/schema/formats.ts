/**
 * The string formats that the API server checks in custom resources, and its numeric formats. Other formats are ignored. Dashes in names
 * are ignored: `date-time` is `datetime`.
 */
import { isCidr, isIpv4, isIpv6 } from './addresses.ts'

export type FormatCheck = (text: string) => boolean

const checks = new Map<string, FormatCheck>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid3', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid4', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid5', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgbColor],
  ['byte', (text) => text !== '' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)],
  [
    'k8slongname',
    (text) => text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part)),
  ],
])

export function formatCheck(format: string): FormatCheck | undefined {
  return checks.get(format.replaceAll('-', ''))
}

export function numericFormat(type: string, format: string): boolean {
  return type === 'integer'
    ? format === 'int32' || format === 'int64'
    : type === 'number' && (format === 'float' || format === 'double')
}

const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (month === 2 && !leap ? 28 : (monthLengths[month - 1] ?? 0))
}

function isDateTime(text: string): boolean {
  if (!/^.{10}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text) || !isDate(text.slice(0, 10)))
    return false
  if (Number(text.slice(11, 13)) > 23 || Number(text.slice(14, 16)) > 59 || Number(text.slice(17, 19)) > 59)
    return false
  return /[Zz]$/.test(text) || (Number(text.slice(-5, -3)) <= 23 && Number(text.slice(-2)) <= 59)
}

/** Durations of Go and the form with words: `1h30m`, `-1.5h`, `3 weeks`. */
function isDuration(text: string): boolean {
  if (text.length > 1000) return false
  if (/^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true
  const unit = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i
  return [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)].some((match) => unit.test(match[1] ?? ''))
}

function isRequestUri(text: string): boolean {
  if (!/^[!-~\u{80}-\u{10ffff}]*$/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false
  return text.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:.+/.test(text)
}

function isEmail(text: string): boolean {
  const address = /^(?:[^<>]*<([^<>]+)>|([^<>]+))$/.exec(text.trim())
  const plain = address?.[1] ?? address?.[2] ?? ''
  return /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[^"\\]|\\.)*")@[^\s@.,;:<>()[\]]+(?:\.[^\s@.,;:<>()[\]]+)*$/u.test(
    plain,
  )
}

function isHostname(text: string): boolean {
  if (text.length > 255 || text === '') return false
  const labels = text.split('.')
  const label = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
  if (!labels.every((part) => label.test(part))) return false
  return labels.length === 1 || /^[a-zA-Z\p{L}]{2,63}$/u.test(labels.at(-1) ?? '')
}

function isMac(text: string): boolean {
  for (const [separator, digits] of [
    [':', 2],
    ['-', 2],
    ['.', 4],
  ] as const) {
    const groups = text.split(separator)
    const bytes = (groups.length * digits) / 2
    if (
      (bytes === 6 || bytes === 8 || bytes === 20) &&
      groups.every((group) => group.length === digits && /^[0-9a-fA-F]+$/.test(group))
    )
      return true
  }
  return false
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 10; index += 1) sum += (10 - index) * (digits[index] === 'X' ? 10 : Number(digits[index]))
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^\d{13}$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 13; index += 1) sum += Number(digits[index]) * (index % 2 === 0 ? 1 : 3)
  return sum % 10 === 0
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (
    !/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  )
    return false
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    sum += index % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)
  if (parts === null) return false
  return parts.slice(1).every((part) => String(Number(part)) === part && Number(part) <= 255)
}
