import { scanThreads } from '../db/sqlite-scanners.ts'
import { ApiError } from '../errors.ts'

export type StreamLimits = {
  /** How many answers are sent part by part at a time, and how many of them for one project. */
  readonly atOnce: number
  readonly ofOneProject: number
  /** How many may wait for a place, for one project and in all, and for how long. */
  readonly waitingOfOneProject: number
  readonly waiting: number
  readonly waitMilliseconds: number
}

/** Two threads are left to searches. */
const limits: StreamLimits = {
  atOnce: scanThreads - 2,
  ofOneProject: Math.ceil((scanThreads - 2) / 2),
  waitingOfOneProject: 16,
  waiting: 64,
  waitMilliseconds: 10_000,
}

type Waiting = { readonly project: string; go(): void }

/** The few places for answers that are sent part by part: each holds a reader of the store for as long as its client takes. */
export class StreamPlaces {
  readonly #limits: StreamLimits
  readonly #taken: string[] = []
  #waiting: Waiting[] = []

  constructor(own: Partial<StreamLimits> = {}) {
    this.#limits = { ...limits, ...own }
  }

  /** Whether another project waits for a place that one has. */
  isWantedOf(project: string): boolean {
    return this.#waiting.some((one) => one.project !== project && this.#hasRoomFor(one.project))
  }

  /** Does work in a place, once there is one; refuses when that takes too long or too many wait. */
  async use<T>(project: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#isFreeFor(project)) await this.#turn(project)
    else this.#taken.push(project)
    try {
      return await work()
    } finally {
      this.#taken.splice(this.#taken.indexOf(project), 1)
      this.#letIn()
    }
  }

  #turn(project: string): Promise<void> {
    const { waiting, waitingOfOneProject, waitMilliseconds } = this.#limits
    const own = this.#waiting.filter((one) => one.project === project).length
    if (this.#waiting.length >= waiting || own >= waitingOfOneProject) return Promise.reject(tooMany())
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        project,
        go() {
          clearTimeout(late)
          resolve()
        },
      }
      const late = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== one)
        reject(tooMany())
      }, waitMilliseconds)
      this.#waiting.push(one)
      this.#letIn()
    })
  }

  /** Lets in who waits longest among those whose project may have one more. */
  #letIn(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ project }) => this.#isFreeFor(project))
      if (at === -1) return
      const [next] = this.#waiting.splice(at, 1)
      this.#taken.push(next!.project)
      next!.go()
    }
  }

  #isFreeFor(project: string): boolean {
    return this.#taken.length < this.#limits.atOnce && this.#hasRoomFor(project)
  }

  /** Whether a project may have one more, were there one. */
  #hasRoomFor(project: string): boolean {
    return this.#taken.filter((other) => other === project).length < this.#limits.ofOneProject
  }
}

const tooMany = () =>
  new ApiError('unavailable', 'too many files are being sent; try again shortly', undefined, { 'Retry-After': '5' })
