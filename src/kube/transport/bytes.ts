/** Where byte arrays were put together before every room could do so. */
export { concat } from '../../runtime/bytes.ts'
