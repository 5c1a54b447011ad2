/** A map with keys in order whose versions share what they have in common: a B+ tree, changed by copying one path. */
export type OrderedMap<V> = { readonly size: number; readonly root: Node<V> }

/** A key and what the map holds there. */
export type Entry<V> = { readonly key: string; readonly value: V }

type Leaf<V> = { readonly keys: readonly string[]; readonly values: readonly V[] }
/** `keys[i]` is at most the least key of `children[i]` and more than every key of `children[i - 1]`. */
type Branch<V> = { readonly keys: readonly string[]; readonly children: readonly Node<V>[] }
type Node<V> = Leaf<V> | Branch<V>

const MOST = 32
const FEW = 8
const FILL = 24

/** A map of entries given in strictly rising order of their keys. */
export function fromSorted<V>(keys: readonly string[], values: readonly V[]): OrderedMap<V> {
  let level: Node<V>[] = []
  for (let at = 0; at < keys.length; at += FILL) {
    level.push({ keys: keys.slice(at, at + FILL), values: values.slice(at, at + FILL) })
  }
  if (level.length === 0) level.push({ keys: [], values: [] })
  while (level.length > 1) {
    const above: Node<V>[] = []
    for (let at = 0; at < level.length; at += FILL) above.push(branch(level.slice(at, at + FILL)))
    level = above
  }
  return { size: keys.length, root: level[0]! }
}

/** What the map holds at a key. */
export function get<V>(map: OrderedMap<V>, key: string): V | undefined {
  let node = map.root
  while ('children' in node) node = node.children[childFor(node.keys, key)]!
  const at = lowerBound(node.keys, key)
  return node.keys[at] === key ? node.values[at] : undefined
}

/** The first entry at or after a key. */
export function ceiling<V>(map: OrderedMap<V>, key: string): Entry<V> | undefined {
  return ceilingIn(map.root, key)
}

/** The map with `value` at `key`. */
export function set<V>(map: OrderedMap<V>, key: string, value: V): OrderedMap<V> {
  const grown = get(map, key) === undefined ? 1 : 0
  const [left, right] = setIn(map.root, key, value)
  return { size: map.size + grown, root: right === undefined ? left : branch([left, right]) }
}

/** The map without `key`. */
export function remove<V>(map: OrderedMap<V>, key: string): OrderedMap<V> {
  if (get(map, key) === undefined) return map
  let root = removeIn(map.root, key)
  while ('children' in root && root.children.length === 1) root = root.children[0]!
  return { size: map.size - 1, root }
}

/** All entries in order. */
export function* entries<V>(map: OrderedMap<V>): Generator<Entry<V>> {
  for (const leaf of leaves(map.root)) {
    for (let at = 0; at < leaf.keys.length; at++) yield { key: leaf.keys[at]!, value: leaf.values[at]! }
  }
}

/** The entries in order from the first at or after `key`. */
export function* entriesFrom<V>(map: OrderedMap<V>, key: string): Generator<Entry<V>> {
  for (const leaf of leavesFrom(map.root, key)) {
    for (let at = lowerBound(leaf.keys, key); at < leaf.keys.length; at++) {
      yield { key: leaf.keys[at]!, value: leaf.values[at]! }
    }
  }
}

function* leaves<V>(node: Node<V>): Generator<Leaf<V>> {
  if (!('children' in node)) yield node
  else for (const child of node.children) yield* leaves(child)
}

function* leavesFrom<V>(node: Node<V>, key: string): Generator<Leaf<V>> {
  if (!('children' in node)) {
    yield node
    return
  }
  const first = childFor(node.keys, key)
  yield* leavesFrom(node.children[first]!, key)
  for (let at = first + 1; at < node.children.length; at++) yield* leaves(node.children[at]!)
}

function ceilingIn<V>(node: Node<V>, key: string): Entry<V> | undefined {
  if (!('children' in node)) {
    const at = lowerBound(node.keys, key)
    return at < node.keys.length ? { key: node.keys[at]!, value: node.values[at]! } : undefined
  }
  const at = childFor(node.keys, key)
  const found = ceilingIn(node.children[at]!, key)
  // Every child but that of an empty map has an entry, so the next one's first is the answer.
  return found ?? (at + 1 < node.children.length ? ceilingIn(node.children[at + 1]!, key) : undefined)
}

function setIn<V>(node: Node<V>, key: string, value: V): [Node<V>, Node<V>?] {
  if ('children' in node) {
    const at = childFor(node.keys, key)
    const made = setIn(node.children[at]!, key, value)
    const children = node.children.toSpliced(at, 1, ...(made as Node<V>[]))
    const keys = node.keys.with(at, key < node.keys[at]! ? key : node.keys[at]!)
    if (made[1] === undefined) return [{ keys, children }]
    return halves({ keys: keys.toSpliced(at + 1, 0, made[1].keys[0]!), children })
  }
  const at = lowerBound(node.keys, key)
  if (node.keys[at] === key) return [{ keys: node.keys, values: node.values.with(at, value) }]
  return halves({ keys: node.keys.toSpliced(at, 0, key), values: node.values.toSpliced(at, 0, value) })
}

function removeIn<V>(node: Node<V>, key: string): Node<V> {
  if ('children' in node) {
    const at = childFor(node.keys, key)
    return mended(node, at, removeIn(node.children[at]!, key))
  }
  const at = lowerBound(node.keys, key)
  return { keys: node.keys.toSpliced(at, 1), values: node.values.toSpliced(at, 1) }
}

/** A branch with one child replaced by a smaller one, joined with a neighbour when both are small. */
function mended<V>(node: Branch<V>, at: number, child: Node<V>): Branch<V> {
  if (child.keys.length === 0) return { keys: node.keys.toSpliced(at, 1), children: node.children.toSpliced(at, 1) }
  if (child.keys.length < FEW && node.children.length > 1) {
    const left = at > 0 ? at - 1 : at
    const pair = at > 0 ? [node.children[left]!, child] : [child, node.children[1]!]
    if (pair[0]!.keys.length + pair[1]!.keys.length <= FILL) {
      return {
        keys: node.keys.toSpliced(left + 1, 1),
        children: node.children.toSpliced(left, 2, joined(pair[0]!, pair[1]!)),
      }
    }
  }
  return { keys: node.keys, children: node.children.with(at, child) }
}

function joined<V>(left: Node<V>, right: Node<V>): Node<V> {
  const keys = left.keys.concat(right.keys)
  if ('children' in left && 'children' in right) return { keys, children: left.children.concat(right.children) }
  return { keys, values: (left as Leaf<V>).values.concat((right as Leaf<V>).values) }
}

function halves<V>(node: Node<V>): [Node<V>, Node<V>?] {
  if (node.keys.length <= MOST) return [node]
  const half = node.keys.length >> 1
  if ('children' in node) return [part(node, 0, half), part(node, half, node.keys.length)]
  return [
    { keys: node.keys.slice(0, half), values: node.values.slice(0, half) },
    { keys: node.keys.slice(half), values: node.values.slice(half) },
  ]
}

function part<V>(node: Branch<V>, from: number, to: number): Branch<V> {
  return { keys: node.keys.slice(from, to), children: node.children.slice(from, to) }
}

function branch<V>(children: readonly Node<V>[]): Branch<V> {
  return { keys: children.map((child) => child.keys[0]!), children }
}

function childFor(keys: readonly string[], key: string): number {
  const at = lowerBound(keys, key)
  return keys[at] === key ? at : Math.max(at - 1, 0)
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}
