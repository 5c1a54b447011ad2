import { defineType } from '../define.ts'
import { location } from '../fields/location.ts'

/** Location: where on Earth the owner is. */
export const LOC = defineType({
  type: 'LOC',
  code: 29,
  rfc: 1876,
  fields: { location },
  inexact: true,
  examples: [
    '42 21 54.000 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m',
    '90 0 0.000 S 180 0 0.000 E 42849672.95m 0.00m 90000000.00m 0.09m',
  ],
  also: {
    '52 N 4 53 E 0': '52 0 0.000 N 4 53 0.000 E 0.00m 1.00m 10000.00m 10.00m',
    '42 21 54.5 n 71 06 18 w -24m 35m': '42 21 54.500 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m',
  },
  rejects: [
    '42 21 54.000 N',
    '91 N 4 E 0m',
    '90 0 0.001 N 4 E 0m',
    '42 60 N 4 E 0m',
    '42 21 60 N 4 E 0m',
    '42 N 181 E 0m',
    '42 N 4 E -100000.01m',
    '42 N 4 E 0m 1m 1m 1m 1m',
    '42 N 4 E 42849672.96m',
    '42 N 4 E xm',
    '42 1 2 3 N 4 E 0m',
  ],
})
