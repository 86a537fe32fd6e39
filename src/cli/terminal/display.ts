/** What the reader of an output can be shown: decided once from the stream, the environment and `--color`. */

export interface Display {
  /** True on a terminal whose cursor can be moved: progress lines and pictures are drawn there. */
  readonly isTerminal: boolean
  /** Columns of the terminal; 80 elsewhere. */
  readonly columns: number
  /** Columns that a table may take. @default no limit: what is piped is never shortened */
  readonly limit?: number
  /** Lines of the terminal; a picture that is redrawn is not taller. @default no limit */
  readonly rows?: number
  /** @default false */
  readonly hasColours?: boolean
  /** Symbols outside ASCII would not be readable. @default false */
  readonly isAscii?: boolean
}

export const colourChoices = ['auto', 'always', 'never'] as const
export type ColourChoice = (typeof colourChoices)[number]

export interface Surroundings {
  readonly stream: { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly colour: ColourChoice
}

export function displayOf({ stream, env, colour }: Surroundings): Display {
  const isDumb = env['TERM'] === 'dumb'
  const isTerminal = stream.isTTY === true && !isDumb
  return {
    isTerminal,
    // Read each time, because a terminal can be resized.
    get columns() {
      return stream.columns ?? 80
    },
    get limit() {
      return stream.isTTY === true ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY
    },
    get rows() {
      return stream.rows ?? Number.POSITIVE_INFINITY
    },
    hasColours: colour === 'auto' ? isTerminal && !env['NO_COLOR'] : colour === 'always',
    isAscii: isDumb || hasAsciiLocale(env),
  }
}

/** Without any of the variables most terminals of today show Unicode, for example in containers. */
function hasAsciiLocale(env: Surroundings['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8'
  return !/utf-?8/i.test(locale)
}
