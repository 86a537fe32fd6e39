/**
 * Bytes of a process cut into lines, at the length that a log still bears. What is beyond it in a line is dropped as it comes.
 */
export const maxLineLength = 10_000

export async function eachLine(
  output: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  take: (line: string) => void,
  limit = maxLineLength,
): Promise<void> {
  const decoder = new TextDecoder()
  let open = ''
  let tooLong = false
  const add = (text: string): void => {
    if (tooLong) return
    open += text
    if (open.length <= limit) return
    take(`${open.slice(0, limit)} [cut]`)
    open = ''
    tooLong = true
  }
  const end = (): void => {
    if (!tooLong) take(open.endsWith('\r') ? open.slice(0, -1) : open)
    open = ''
    tooLong = false
  }
  for await (const chunk of output) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    add(first)
    for (const text of others) {
      end()
      add(text)
    }
  }
  add(decoder.decode())
  if (open !== '') end()
}
