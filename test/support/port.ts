import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const attempts = 50

/**
 * A port that nobody uses at this moment on loopback, by UDP or TCP. It is none of those that the system gives to
 * outgoing connections: a server that is stopped finds it free when it comes back.
 */
export async function freePort(): Promise<number> {
  const [from, to] = [10_000, firstOutgoing()]
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = from + Math.floor(Math.random() * (to - from))
    if ((await bindsTcp(port)) && (await bindsUdp(port))) return port
  }
  throw new Error(`none of ${attempts} ports between ${from} and ${to} is free for both UDP and TCP`)
}

function firstOutgoing(): number {
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  return Math.max(20_000, Number.parseInt(range, 10))
}

async function bindsTcp(port: number): Promise<boolean> {
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) =>
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
  )
  if (isFree) await once(server.close(), 'close')
  return isFree
}

async function bindsUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const isFree = await new Promise<boolean>((resolve) =>
    socket.once('error', () => resolve(false)).bind(port, '127.0.0.1', () => resolve(true)),
  )
  await new Promise<void>((resolve) => socket.close(resolve))
  return isFree
}
