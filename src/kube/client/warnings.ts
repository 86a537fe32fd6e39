/** The `Warning` headers of RFC 7234 as API servers send them: `299 - "text"`, several joined with commas. */
const warning = /(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g

export function warningsIn(header: string): string[] {
  const texts: string[] = []
  for (const [, code, text] of header.matchAll(warning)) {
    if (code === '299' && text !== undefined) texts.push(text.replace(/\\(.)/g, '$1'))
  }
  return texts
}
