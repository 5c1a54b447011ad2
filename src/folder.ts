import { accessSync, constants, mkdirSync } from 'node:fs'
import { Trouble } from './trouble.ts'

/** Makes the data folder, for its owner alone, unless it is there, and makes sure that we can write to it. */
export function openFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    throw new Trouble(`cannot write to the data folder ${path}: ${reason(error)}; choose another with --data-dir`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message
}
