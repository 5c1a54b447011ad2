import { DnsError } from '../dns/errors.ts'
import { mailboxEmail, mailboxName } from '../dns/mailbox.ts'
import { decodeRdata } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { SOA } from '../dns/types/soa.ts'
import { BadTransfer } from '../exchange/parse-transfer.ts'

/** What a zone's row takes from the SOA of its master. */
export type SoaParts = {
  readonly primary_ns: string
  readonly contact: string
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly minimum: number
  readonly ttl: number
}

const most = 0x7fffffff

/** The parts of a master's SOA; refuses times that no zone can mean. */
export function soaParts({ ttl, rdata }: ResourceRecord): SoaParts {
  const { mname, rname, refresh, retry, expire, minimum } = decodeRdata(SOA, rdata)
  for (const [what, seconds] of Object.entries({ refresh, retry, expire, minimum })) {
    if (seconds > most) throw new BadTransfer(`the ${what} of the SOA is ${seconds}, where ${most} is the most`)
  }
  return { primary_ns: mname, contact: rname, refresh, retry, expire, minimum, ttl }
}

/** The SOA of a zone with another serial, under the name as the zone has it. */
export function soaWith(soa: ResourceRecord, name: string, serial: number): ResourceRecord {
  const rdata = soa.rdata.slice()
  new DataView(rdata.buffer).setUint32(rdata.length - 20, serial)
  return { ...soa, name, rdata }
}

/** The e-mail address that a contact stands for; `otherwise` where it stands for none. */
export function emailOf(contact: string, otherwise: string): string {
  const email = mailboxEmail(contact)
  try {
    mailboxName(email)
    return email.length <= 255 ? email : otherwise
  } catch (error) {
    if (error instanceof DnsError) return otherwise
    throw error
  }
}
