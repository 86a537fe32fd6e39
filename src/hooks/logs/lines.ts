/** Splits the output of a process into lines. A longer line is cut, and its rest is dropped as it arrives. */
export const maxLineLength = 10_000

export async function eachLine(
  output: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  take: (line: string) => void,
  limit = maxLineLength,
): Promise<void> {
  const decoder = new TextDecoder()
  let open = ''
  let isCut = false
  const add = (text: string): void => {
    if (isCut) return
    open += text
    if (open.length <= limit) return
    take(`${open.slice(0, limit)} [cut]`)
    open = ''
    isCut = true
  }
  const end = (): void => {
    if (!isCut) take(open.endsWith('\r') ? open.slice(0, -1) : open)
    open = ''
    isCut = false
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
