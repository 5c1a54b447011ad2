import type { Lookup } from './lookup.ts'
import type { WireName } from './wire-name.ts'

/** The nodes from an apex down to a name, walked as far as was asked and kept for the next question about the same name. */
export class Path {
  readonly #lookup: Lookup
  readonly #name: WireName
  readonly #nodes = new Int32Array(128)
  #walked = 0
  #text: string | undefined
  #apex = 0
  #apexLabels = 0

  constructor(lookup: Lookup) {
    this.#lookup = lookup
    this.#name = lookup.newName()
  }

  forget(): void {
    this.#text = undefined
  }

  /** The node of the ancestor of a name `depth` labels below an apex of so many labels, or 0. */
  node(apex: number, apexLabels: number, text: string, depth: number): number {
    if (text !== this.#text || apex !== this.#apex) {
      this.#name.readText(text)
      this.#text = text
      this.#apex = apex
      this.#apexLabels = apexLabels
      this.#nodes[0] = apex
      this.#walked = 0
    }
    const top = this.#name.labels - this.#apexLabels
    if (depth > top) return 0
    for (; this.#walked < depth; this.#walked++) {
      const parent = this.#nodes[this.#walked]!
      const child = parent === 0 ? 0 : this.#lookup.child(parent, this.#name, top - this.#walked - 1)
      this.#nodes[this.#walked + 1] = child
    }
    return this.#nodes[depth]!
  }
}
