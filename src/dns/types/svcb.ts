import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'
import { parameters, serviceFault } from '../fields/parameters.ts'

/** Service binding: where a service is and how to speak with it. */
export const SVCB = serviceBinding('SVCB', 64, 9460)

/** A type with the fields of a service binding: SVCB and those made like it for one protocol (RFC 9460 9). */
export function serviceBinding(type: string, code: number, rfc: number) {
  return defineType({
    type,
    code,
    rfc,
    fields: { priority: u16, target: domainName, parameters },
    check: serviceFault,
    inexact: true,
    examples: [
      '0 foo.example.com.',
      '1 .',
      '16 foo.example.com. port=53',
      '1 . alpn=h2,h3 no-default-alpn ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1,2001:db8::53:1',
      '16 foo.example.org. mandatory=alpn,ipv4hint alpn=h2,h3-19 ipv4hint=192.0.2.1',
      '1 foo.example.com. key667=hello\\210qoo',
      '1 a. alpn=f\\\\\\\\oo\\\\,bar,h2',
      '1 a. ech=AEn+DQBFKwAgACABWIHUGj4u+PIggYXcR5JF0gYk3dCRioBW8uJq9H4mKAAIAAEAAQABAANAEnB1YmxpYy50bHMtZWNoLmRldgAA',
      '1 doh.example. alpn=h2 dohpath=/dns-query{?dns} ohttp',
      '1 a. tls-supported-groups=29,23 key65534="a b;c"',
      '1 a. key11',
    ],
    also: {
      '1 a. port=53 alpn="h2,h3"': '1 a. alpn=h2,h3 port=53',
      '1 a. mandatory=port,alpn alpn=h2 port=1': '1 a. mandatory=alpn,port alpn=h2 port=1',
      '1 a. key3=\\000\\053': '1 a. port=53',
      '1 a. key11=""': '1 a. key11',
    },
    rejects: [
      '1',
      '1 a',
      '65536 a.',
      '0 a. port=53',
      '1 a. port=53 port=54',
      '1 a. port=65536',
      '1 a. port',
      '1 a. alpn',
      '1 a. alpn=',
      '1 a. alpn=h2,,h3',
      '1 a. alpn="h2"x',
      '1 a. alpn="h2',
      '1 a. no-default-alpn',
      '1 a. alpn=h2 no-default-alpn=x',
      '1 a. mandatory=port',
      '1 a. mandatory=mandatory',
      '1 a. mandatory=port,port port=1',
      '1 a. ipv4hint=2001:db8::1',
      '1 a. ipv6hint=192.0.2.1',
      '1 a. ipv4hint=',
      '1 a. ech=!!',
      '1 a. dohpath=/dns-query',
      '1 a. ohttp=1',
      '1 a. tls-supported-groups=x',
      '1 a. key65535=x',
      '1 a. key03=x',
      '1 a. key3=x',
      '1 a. bogus=1',
      '1 a. =1',
      '1 a. "port=53"',
    ],
  })
}
