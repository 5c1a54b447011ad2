/** Where the code of a worker thread is that stands beside a module: as TypeScript in a checkout, as JavaScript when installed. */
export const workerUrl = (module: string, name: string): URL =>
  new URL(`${name}${module.endsWith('.ts') ? '.ts' : '.js'}`, module)
