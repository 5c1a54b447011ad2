/** Shows how far something long has come: a bar on a terminal, else a line now and then. */
export function progress(what: string, total: number): { at(done: number): void; end(): void } {
  const { stderr } = process
  const started = performance.now()
  let shown = 0
  const seconds = () => (performance.now() - started) / 1000
  return {
    at(done) {
      const part = done / total
      if (stderr.isTTY) {
        const bar = '█'.repeat(Math.round(part * 30)).padEnd(30, '·')
        const left = seconds() / part - seconds()
        stderr.write(`\r${what} ${bar} ${Math.floor(part * 100)} %, ${Math.ceil(left)} s left \x1b[K`)
      } else if (part - shown >= 0.25 && part < 1) {
        shown = part
        stderr.write(`${what}: ${Math.floor(part * 100)} %, ${Math.round(seconds())} s\n`)
      }
    },
    end() {
      stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}${what}: done in ${seconds().toFixed(1)} s\n`)
    },
  }
}
