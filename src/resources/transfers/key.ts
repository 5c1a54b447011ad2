import { createHash, randomInt, timingSafeEqual } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** A new key of a transfer request: eight letters and digits. */
export const newKey = (): string => Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')

/** Whether a key is the one asked for; takes as long whatever part of it is right. */
export const isKey = (given: string, stored: string): boolean => timingSafeEqual(digest(given), digest(stored))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
