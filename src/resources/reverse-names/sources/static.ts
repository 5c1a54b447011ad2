import type { AddressSource } from '../source.ts'
import * as store from '../store.ts'

/** The list that administrators keep. */
export const staticList: AddressSource = {
  name: 'static',
  all: ({ project_id, db }) => db.read((tx) => store.addressesOf(tx, project_id)),
  one: ({ project_id, db }, key) => db.read((tx) => store.addressOf(tx, project_id, key)),
  stillHas: async (tx, { id, project_id }) => (await store.lock(tx, id))?.project_id === project_id,
}
