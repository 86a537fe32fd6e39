/** What the deployers that come with the product are called in settings; apart from them, so that naming them loads none. */
export const stockNames = ['manifest', 'helm', 'container', 'mock'] as const

export type StockName = (typeof stockNames)[number]
