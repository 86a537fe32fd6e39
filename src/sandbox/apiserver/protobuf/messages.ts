/**
 * The message table, parsed when first needed. A field is `number jsonName type flags`: `-` for a name means that the fields stand in
 * the surrounding object; a type begins with `[]` for a list, `{}` for a map, `list:` for a message that holds nothing but a list; the
 * flag `*` means that a zero was meant, `?` that a zero is left out.
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

/** The message of a kind; options and reviews of the machinery belong to every group. */
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
