import { type Field, fault, field, id, moment, nullable, text, type Write } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { toUuid } from '../../ids.ts'

/** The same field, which only the owner of the zone and administrators are shown. */
const confidential = <T, W extends Write>(inner: Field<T, W>): Field<T, W> => ({ ...inner, mayBeHidden: true })

export const transferRequest = resource(
  {
    name: 'transfer_request',
    label: 'ZoneTransferRequest',
    plural: 'transfer_requests',
    source: 'transfer_request_rows',
    path: '/zones/tasks/transfer_requests/{id}',
    purpose: 'The offer of a zone to another project; who has its key may accept it.',
    notFound: 'zone_transfer_request_not_found',
  },
  {
    id: id(),
    zone_id: text(36),
    project_id: confidential(text(255)),
    target_project_id: confidential(nullable(text(255, { min: 1, write: 'always' }))),
    description: nullable(text(160, { write: 'always' })),
    key: confidential(text(8)),
    status: text(10, { filter: 'slow' }),
    zone_name: text(255),
    created_at: confidential(moment({ sort: true, key: 'id' })),
    updated_at: confidential(nullable(moment({ sort: true, key: 'updated_key' }))),
  },
)

export type TransferRequest = RowOf<typeof transferRequest>

const requestId = field<string, 'create'>(
  { type: 'string', format: 'uuid' },
  (value, path, faults) =>
    (typeof value === 'string' ? toUuid(value) : undefined) ??
    fault(faults, path, 'format', 'uuid', 'must be the id of a transfer request, a UUID'),
  { write: 'create' },
)

/** The key is told only to who just gave it. */
const givenKey: Field<string | null, 'create'> = {
  ...text(255, { min: 1, write: 'create' }),
  schema: { type: ['string', 'null'], minLength: 1, maxLength: 255 },
}

export const transferAccept = resource(
  {
    name: 'transfer_accept',
    label: 'ZoneTransferAccept',
    plural: 'transfer_accepts',
    source: 'transfer_accept_rows',
    path: '/zones/tasks/transfer_accepts/{id}',
    links: { zone: '/zones/{zone_id}' },
    purpose: 'The taking over of a zone that was offered.',
    notFound: 'zone_transfer_accept_not_found',
  },
  {
    id: id(),
    zone_transfer_request_id: requestId,
    project_id: text(255),
    key: givenKey,
    status: text(10, { filter: 'slow' }),
    zone_id: text(36),
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type TransferAccept = RowOf<typeof transferAccept>
