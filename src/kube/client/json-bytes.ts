/** The bytes that give JSON its shape. */
export const quote = 34
export const comma = 44
export const openBracket = 91
export const backslash = 92
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125
