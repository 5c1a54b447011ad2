import { association } from './tlsa.ts'

/** S/MIME association: what certificate or key a mail sender must show. */
export const SMIMEA = association('SMIMEA', 53, 8162)
