/**
 * How zones lie in shared memory. One thread writes, any number read; no reader ever takes a lock.
 *
 * Memory is a list of chunks, SharedArrayBuffers of 1 to 64 MiB, and one small control buffer. A *reference* is 32 bits: the
 * chunk's number in the upper 9, the place in it in units of 8 octets in the lower 23; 0 is none. So up to 32 GiB can be had.
 * Links are 32-bit words in the machine's order; what goes into messages is octets in network order.
 *
 *   control   words: see CONTROL; then for each segment of the two hash tables the reference to it
 *   segment   of a hash table, open addressing, 2^k slots of 2 words: (hash, reference); slot 0 holds the mask instead.
 *             Reference 0 is a free slot, TOMBSTONE one that was given up: slots never become free again, so that readers
 *             who search while the writer inserts or removes miss nothing else. A segment that fills is copied into a larger
 *             one; then the structure version is raised, and only then the old one is given to others.
 *   zone      words: see ZONE. Its memory is used for zones alone for ever, so that the version only grows.
 *   node      a name: words see NODE; octets LABEL_LENGTH, FLAGS, then its first label. The apex has its whole name there.
 *             A name is found by (node of the parent, label). Empty non-terminals are nodes too: a name exists if its node
 *             has RRsets or children that exist. A node without either is about to be linked or has just been given up.
 *             All nodes of a zone are linked from its apex on.
 *   RRset     words: see RRSET; two octets type; then for each record two octets length and the rdata: as messages have it.
 *             Never changed once it is linked, but for the link to the node's next RRset, whose type number is higher.
 *
 * Consistency. The writer makes a zone's version odd, changes links, makes it even; memory is given to others after that.
 * A reader notes the version, reads whatever it reads, and then looks whether that version and the structure version are
 * still the same; if not, all it has read may be nonsense and it reads again. So everything read is checked against bounds,
 * and every loop ends on any content.
 */
export const UNIT = 8
export const OFFSET_BITS = 23
export const OFFSET_MASK = (1 << OFFSET_BITS) - 1
export const MOST_CHUNKS = 1 << (32 - OFFSET_BITS)
export const FIRST_CHUNK_BYTES = 1 << 20
export const CHUNK_BYTES = UNIT << OFFSET_BITS

export const ZONE_SEGMENT_BITS = 6
export const NODE_SEGMENT_BITS = 8

/** Words of the control buffer. */
export const CONTROL = {
  /** Raised whenever a segment of a hash table was replaced. */
  STRUCTURE: 0,
  CHUNKS: 1,
  SEED: 2,
  /** Raised whenever a zone has come; odd while one is coming. */
  ZONE_SET: 4,
  ZONE_SEGMENTS: 16,
  NODE_SEGMENTS: 16 + (1 << ZONE_SEGMENT_BITS),
  WORDS: 16 + (1 << ZONE_SEGMENT_BITS) + (1 << NODE_SEGMENT_BITS),
} as const

export const TOMBSTONE = 1

/** Words of a zone. */
export const ZONE = {
  VERSION: 0,
  STATE: 1,
  APEX: 2,
  SOA: 3,
  SERIAL: 4,
  HASH: 5,
  TAIL: 6,
  NAMES: 7,
  RRSETS: 8,
  RECORDS: 9,
  LABELS: 10,
  /** Why the zone fails, or the id by which it is awaited: an RRset of one record, the text. */
  NOTE: 11,
  BYTES: 48,
} as const

export const FREE = 0
export const SERVING = 1
export const FAILED = 2
export const AWAITED = 3

/** Words of a node, and where its octets start. */
export const NODE = {
  PARENT: 0,
  RRSETS: 1,
  CHILDREN: 2,
  NEXT: 3,
  PREVIOUS: 4,
  LABEL_LENGTH: 20,
  FLAGS: 21,
  LABEL: 22,
} as const

export const HAS_NS = 1
export const HAS_DNAME = 2

/** Words of an RRset, and where its octets start. */
export const RRSET = { NEXT: 0, TTL: 1, COUNT: 2, TYPE: 12, RECORDS: 14 } as const
