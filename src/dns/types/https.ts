import { serviceBinding } from './svcb.ts'

/** Service binding of the web: what a browser needs to know before it connects. */
export const HTTPS = serviceBinding('HTTPS', 65, 9460)
