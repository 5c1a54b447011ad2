import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { nameKey } from '../dns/name.ts'
import type { TsigKey } from '../dns/tsig.ts'
import { ArenaReader } from './arena/reader.ts'
import { RecentAnswers } from './arena/recent-answers.ts'
import { servedFrom } from './arena/served.ts'
import type { ArenaHandles } from './arena/space.ts'
import { Counters } from './counters.ts'
import { openLibc } from './libc.ts'
import { RateLimiter } from './rate-limit.ts'
import type { Request, ServerState } from './server-state.ts'
import { Told } from './told.ts'
import { UdpLoop } from './udp-loop.ts'
import { bindAll } from './udp-socket.ts'
import { type FromUdpThread, MAIL, STOP, type ToUdpThread, type UdpThreadData } from './udp-thread-messages.ts'

const MOST_FORWARDED = 64

parentPort!.once('message', run)

function run({ port, control: controlMemory, ...given }: UdpThreadData): void {
  const control = new Int32Array(controlMemory)
  const tell = (message: FromUdpThread) => port.postMessage(message)
  const libc = openLibc()
  if (typeof libc === 'string') {
    tell({ kind: 'unavailable', reason: libc })
    return
  }
  let keys = keysByName(given.keys)
  let handles: ArenaHandles | undefined
  let forwarded = 0
  let mail = 0
  const told = new Told()
  const counters = new Counters(given.counters)

  const takeMail = () => {
    mail = Atomics.load(control, MAIL)
    for (let received = receiveMessageOnPort(port); received; received = receiveMessageOnPort(port))
      take(received.message as ToUdpThread)
  }
  const takeNewMail = () => {
    if (Atomics.load(control, MAIL) !== mail) takeMail()
  }
  const take = (message: ToUdpThread) => {
    switch (message.kind) {
      case 'arena':
        handles = message.handles
        break
      case 'keys':
        keys = keysByName(message.keys)
        break
      case 'send':
        forwarded--
        if (message.reply !== undefined) waiting.push({ route: message.route, reply: message.reply })
    }
  }
  // Replies of the keeper go out between batches: messages may also be taken while one is answered.
  const waiting: { route: Uint8Array; reply: Uint8Array }[] = []
  const reader = new ArenaReader(given.arena, () => {
    takeMail()
    const newest = handles
    handles = undefined
    return newest
  })
  const forward = ({ bytes, client }: Request): undefined => {
    if (forwarded === MOST_FORWARDED) return
    forwarded++
    counters.event('forwarded')
    tell({ kind: 'forward', request: bytes.slice(), client, route: loop.route() })
  }
  const server: ServerState = {
    zones: servedFrom(reader),
    findKey: (name) => keys.get(name),
    settings: given.settings,
    limiter: given.rate && new RateLimiter(given.rate.settings, given.rate.memory),
    counters,
    transfer: forward,
    notify: forward,
    wanted: (id) => {
      if (told.isNew(id)) tell({ kind: 'wanted', id })
    },
    report: (error) => {
      if (told.isNew(String(error))) tell({ kind: 'report', error })
    },
  }
  const sockets = bindAll(libc, given.listen, given.shared)
  const loop = new UdpLoop({
    libc,
    sockets,
    server,
    fast: new RecentAnswers(reader),
    refresh: takeNewMail,
    between: () => {
      takeNewMail()
      for (let next = waiting.shift(); next; next = waiting.shift()) loop.sendLater(next.route, next.reply)
      return Atomics.load(control, STOP) === 0
    },
  })
  tell({ kind: 'listening', addresses: sockets.map(({ address }) => address) })
  loop.run()
}

function keysByName(keys: readonly TsigKey[]): ReadonlyMap<string, TsigKey> {
  return new Map(keys.map((key) => [nameKey(key.name), key]))
}
