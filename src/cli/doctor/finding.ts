/** The result of one check. */
export interface Finding {
  readonly name: string
  /** `optional`: the product works without it, with less comfort. */
  readonly state: 'works' | 'optional' | 'missing'
  readonly detail: string
  readonly remedy?: string
}
