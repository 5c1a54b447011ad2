import { ApiError, fail } from '../errors.ts'

/** Refuses a request whose Accept leaves out the type we would send. */
export function mustAccept(accept: string | undefined, type: string): void {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === type) return
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  const acceptable = accept.split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const refused = parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter))
    return !refused && (name === type || name === family || name === '*/*')
  })
  if (!acceptable) throw new ApiError('unsupported_accept', `this answers ${type}, which the Accept header leaves out`)
}

/** Refuses a body that is packed: RFC 9110 15.5.16 wants the answer to say what is taken instead. */
export function mustBePlain(contentEncoding: string | undefined): void {
  const isPlain = (contentEncoding ?? '').split(',').every((coding) => /^\s*(identity)?\s*$/i.test(coding))
  if (isPlain) return
  const message = `Content-Encoding must be identity or absent, not '${contentEncoding}': send the body as it is`
  throw new ApiError('unsupported_content_encoding', message, undefined, { 'Accept-Encoding': 'identity' })
}

/** Refuses a body that does not call itself JSON. */
export function mustBeJson(contentType: string | undefined): void {
  if (contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim())) return
  fail('unsupported_content_type', 'Content-type must be application/json')
}
