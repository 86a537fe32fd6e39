/** The symbols of this program in ASCII, for readers whose terminal has nothing else. */
import type { Display } from './display.ts'

/** All but arrows and ellipses take one column either way, so that drawings keep their shape. */
const ascii: Readonly<Record<string, string>> = {
  ...{ '→': '->', '…': '..', '’': "'", '–': '-', '·': '.' },
  ...{ '✓': '+', '✗': 'x', '⊘': '/', '●': '*', '╸': '>', '◌': 'o' },
  ...{ '█': '#', '▒': '%', '░': ':', '■': 'X', '□': 'o', '━': '=' },
  ...{ '│': '|', '├': '|', '└': '`', '─': '-', '┬': '+' },
}
const known = new RegExp(`[${Object.keys(ascii).join('')}]`, 'g')

/** The text in symbols that the reader can see; for texts, never for data. */
export function legible(text: string, { isAscii = false }: Pick<Display, 'isAscii'>): string {
  return isAscii ? text.replace(known, (symbol) => ascii[symbol] ?? '?') : text
}
