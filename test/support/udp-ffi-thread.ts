import { parentPort, workerData } from 'node:worker_threads'
import { openLibc } from '../../src/nameserver/libc.ts'
import { RateLimiter, type RateSettings } from '../../src/nameserver/rate-limit.ts'
import type { Listen } from '../../src/nameserver/udp-dgram.ts'
import { UdpLoop } from '../../src/nameserver/udp-loop.ts'
import { bindUdp } from '../../src/nameserver/udp-socket.ts'
import { serverOf } from './nameserver.ts'

type Given = { readonly listen: readonly Listen[]; readonly control: SharedArrayBuffer; readonly rates?: RateSettings }

const { listen, control, rates } = workerData as Given
const libc = openLibc()
if (typeof libc === 'string') throw new Error(libc)
const sockets = listen.map((address) => bindUdp(libc, address))
const state = new Int32Array(control)
const server = serverOf(rates && { limiter: new RateLimiter(rates) })
parentPort!.postMessage(sockets.map(({ address }) => address))
const between = () => Atomics.load(state, 0) === 0
new UdpLoop({ libc, sockets, server, fast: undefined, between, refresh: () => {} }).run()
