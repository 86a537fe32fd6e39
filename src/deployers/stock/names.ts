/** The names of the stock deployers in settings, in a separate file so that reading them does not load the deployers. */
export const stockNames = ['manifest', 'helm', 'container', 'mock'] as const

export type StockName = (typeof stockNames)[number]
