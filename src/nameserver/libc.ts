import { createRequire } from 'node:module'
import process from 'node:process'

/** The system calls of batched UDP. Addresses of memory are numbers of 64 bits; failures are -1. */
export type Libc = {
  readonly socket: (domain: number, type: number, protocol: number) => number
  readonly bind: (fd: number, address: bigint, length: number) => number
  readonly getsockname: (fd: number, address: bigint, length: bigint) => number
  readonly setsockopt: (fd: number, level: number, name: number, value: bigint, length: number) => number
  readonly poll: (fds: bigint, count: bigint, timeout: number) => number
  readonly recvmmsg: (fd: number, messages: bigint, count: number, flags: number, timeout: bigint) => number
  readonly sendmmsg: (fd: number, messages: bigint, count: number, flags: number) => number
  readonly close: (fd: number) => number
  /** The number of the last failure, which a call in between may have changed. */
  readonly errno: () => number
  readonly pointerTo: (memory: ArrayBuffer) => bigint
}

type Ffi = typeof import('node:ffi')

/** The C library, or why it is not to be had. The numbers and layouts used with it are those of 64-bit Linux, x64 and arm64. */
export function openLibc(): Libc | string {
  if (process.platform !== 'linux') return `batched UDP needs Linux, not ${process.platform}`
  if (process.arch !== 'x64' && process.arch !== 'arm64') return `batched UDP needs x64 or arm64, not ${process.arch}`
  try {
    // Asked for at run time only: a Node without it, or told to go without it, serves through dgram.
    return bindings(createRequire(import.meta.url)('node:ffi') as Ffi)
  } catch (error) {
    return `this Node has no usable FFI (${error instanceof Error ? error.message : String(error)})`
  }
}

function bindings(ffi: Ffi): Libc {
  const library = new ffi.DynamicLibrary(null)
  const int = 'int32'
  const call = (name: string, ...types: readonly ('int32' | 'uint32' | 'uint64' | 'pointer')[]) =>
    library.getFunction(name, { arguments: types, return: int }) as unknown
  const errnoAt = library.getFunction('__errno_location', { arguments: [], return: 'pointer' })
  const libc = {
    socket: call('socket', int, int, int),
    bind: call('bind', int, 'pointer', 'uint32'),
    getsockname: call('getsockname', int, 'pointer', 'pointer'),
    setsockopt: call('setsockopt', int, int, int, 'pointer', 'uint32'),
    poll: call('poll', 'pointer', 'uint64', int),
    recvmmsg: call('recvmmsg', int, 'pointer', 'uint32', int, 'pointer'),
    sendmmsg: call('sendmmsg', int, 'pointer', 'uint32', int),
    close: call('close', int),
    errno: () => ffi.getInt32(errnoAt()),
    pointerTo: (memory: ArrayBuffer) => ffi.getRawPointer(memory),
  }
  return libc as Libc
}
