/** One line of what the doctor prints. */
export interface Finding {
  readonly name: string
  /** `optional`: something works less well without it. */
  readonly state: 'works' | 'optional' | 'missing'
  readonly detail: string
  readonly remedy?: string
}
