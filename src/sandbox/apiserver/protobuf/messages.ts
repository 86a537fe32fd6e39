/**
 * The message table, parsed on first use. A field is `number jsonName type flags`. The name `-` inlines the fields into
 * the surrounding object. A type begins with `[]` for a list, `{}` for a map, `list:` for a message that contains only
 * a list. The flag `*` keeps a zero, `?` omits it.
 */
import { messagesText } from './messages.generated.ts'

export interface MessageField {
  readonly name: string
  readonly type: string
  readonly keepsZero: boolean
}

export type Message = ReadonlyMap<number, MessageField>

let table: ReadonlyMap<string, Message> | undefined

export function messageOf(name: string): Message | undefined {
  table ??= parse(messagesText)
  return table.get(name)
}

/** The message of a kind; options and reviews of apimachinery belong to every group. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return messageOf(`${group.split('.')[0]}/${version}.${kind}`) ?? messageOf(`meta/v1.${kind}`)
}

function parse(text: string): ReadonlyMap<string, Message> {
  const messages = new Map<string, Message>()
  for (const line of text.trim().split('\n')) {
    const [name = '', ...fields] = line.split('|')
    messages.set(name, new Map(fields.map(fieldOf)))
  }
  return messages
}

function fieldOf(text: string): [number, MessageField] {
  const [number, name = '', type = '', flags] = text.split(' ')
  return [Number(number), { name, type, keepsZero: flags !== '?' }]
}
