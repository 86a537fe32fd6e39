/** The one sender of HTTP requests for hooks. */
export { type AddressPolicy, allowEveryAddress, hostOf } from './address.ts'
export { type HttpAnswer, HttpSendError, HttpSender, type SendOptions } from './sender.ts'
