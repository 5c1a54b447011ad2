/** How many of so many servers must have a zone before it is published. */
export const neededOf = (servers: number, percentage: number): number =>
  Math.max(1, Math.ceil((servers * percentage) / 100))
