import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { bulkInsert } from '../../src/db/bulk-rows.ts'
import { migrate, SchemaTooNew } from '../../src/db/migrate.ts'
import { type Database, sql, TransactionSpoiled, type Tx, UniqueViolation } from '../../src/db/sql.ts'

/** How a suite gets at one engine: a fresh, empty database, and further handles on the same one. */
export type Engine = { open(): Promise<Database>; remove(): Promise<void> }

export const add = (tx: Tx, id: number, name: string) => tx.run(sql`insert into things values (${id}, ${name}, ${id})`)
export const names = (tx: Tx) => tx.all<{ name: string }>(sql`select name from things order by id`)
export const countThings = async (tx: Tx) => (await tx.get<{ n: number }>(sql`select count(*) as n from things`))!.n

/** A promise and the function that fulfils it. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

/** What every engine must do; run whole over each. */
export function databaseContract(engineName: string, newEngine: () => Promise<Engine>): void {
  describe(`a database on ${engineName}`, () => {
    let engine: Engine
    let db: Database

    before(async () => {
      engine = await newEngine()
      db = await engine.open()
      await db.alone((tx) =>
        tx.script(`create table things (
          id integer not null primary key,
          name text not null unique,
          big bigint not null
        );
        create table parts (
          thing_id integer not null references things (id)
        )`),
      )
    })
    beforeEach(() => db.write((tx) => tx.run(sql`delete from things`)))
    after(async () => {
      await db.close()
      await engine.remove()
    })

    test('many rows are inserted as they are, whatever their text, beside what they all share; conflicts are left out', async () => {
      const insert = bulkInsert('things', ['id', 'name'], 'on conflict (name) do nothing')
      const odd = ['', `it's "so" \\\\ {}[]`, 'käse 🧀', 'a\nb\tc', '$1 ?1 :x', 'null', '7', 'x'.repeat(2000)]
      const rows = [...odd, ...Array.from({ length: 1200 }, (_, i) => `n${i}`)].map((name, i) => [i, name] as const)
      const big = Number.MAX_SAFE_INTEGER
      equal(await db.write((tx) => insert(tx, rows, { big })), rows.length)
      equal(
        await db.write((tx) =>
          insert(
            tx,
            [
              [5001, 'n7'],
              [5002, 'fresh'],
            ],
            { big: 1 },
          ),
        ),
        1,
      )
      equal(await db.write((tx) => insert(tx, [], { big: 1 })), 0)
      const stored = await db.read((tx) =>
        tx.all<{ id: number; name: string; big: number }>(sql`
        select id, name, big from things where id < 5000 order by id`),
      )
      deepEqual(
        stored.map(({ id, name }) => [id, name]),
        rows,
      )
      ok(stored.every((row) => row.big === big))
    })

    test('a bulk of rows may leave numbers and texts empty, in some rows or in all', async () => {
      await db.alone((tx) => tx.script('create table gaps (id integer, n bigint, t text)'))
      const long = 'x'.repeat(600_000)
      const insert = bulkInsert('gaps', ['id', 'n', 't'])
      await db.write(async (tx) => {
        await insert(tx, [
          [1, null, null],
          [2, null, null],
        ])
        await insert(tx, [
          [3, null, long],
          [4, 5, null],
        ])
      })
      const stored = await db.read((tx) => tx.values(sql`select id, n, t from gaps order by id`))
      deepEqual(stored, [
        [1, null, null],
        [2, null, null],
        [3, null, long],
        [4, 5, null],
      ])
    })

    test('get gives the first row or undefined, all gives every row, run tells how many rows changed', async () => {
      await db.write(async (tx) => {
        equal(await add(tx, 1, 'a'), 1)
        equal(await tx.run(sql`insert into things values (${2}, ${'b'}, 2), (${3}, ${'c'}, 3)`), 2)
        equal(await tx.run(sql`update things set big = 9 where id > 1`), 2)
        equal(await tx.run(sql`delete from things where id = 77`), 0)
      })
      await db.read(async (tx) => {
        equal((await tx.get<{ name: string }>(sql`select name from things where id = ${2}`))?.name, 'b')
        equal(await tx.get(sql`select name from things where id = 77`), undefined)
        deepEqual(
          (await names(tx)).map((row) => row.name),
          ['a', 'b', 'c'],
        )
        deepEqual(await tx.all(sql`select name from things where id = 77`), [])
      })
    })

    test('a statement that returns rows writes them all, whichever way it is asked', async () => {
      const row = await db.write((tx) =>
        tx.get<{ id: number }>(sql`insert into things values (1, 'a', 1), (2, 'b', 2) returning id`),
      )
      equal(row?.id, 1)
      equal(await db.read(countThings), 2)
    })

    test('whole numbers come back as numbers, up to the largest a number holds exactly', async () => {
      const largest = Number.MAX_SAFE_INTEGER
      await db.write((tx) => tx.run(sql`insert into things values (1, 'a', ${largest})`))
      const row = await db.read((tx) => tx.get(sql`select big, count(*) as n from things group by big`))
      deepEqual({ ...row }, { big: largest, n: 1 })
    })

    test('bytes and nulls come back as they were given', async () => {
      const bytes = Uint8Array.of(0, 255, 39, 0)
      await db.alone((tx) => tx.script('create table if not exists blobs (\n  bytes blob\n)'))
      await db.write(async (tx) => {
        await tx.run(sql`insert into blobs values (${bytes})`)
        await tx.run(sql`insert into blobs values (${null})`)
      })
      const rows = await db.read((tx) => tx.all<{ bytes: Uint8Array | null }>(sql`select bytes from blobs`))
      deepEqual(rows.map((row) => row.bytes && [...row.bytes]).toSorted(), [[...bytes], null])
    })

    test('text sorts by code point and compares exactly', async () => {
      const words = ['Z', 'a', 'B', 'aa', 'a-b', 'a b', 'é', 'e\u0301', '_', '\uffee', '\u{1f600}', 'ß', 'ss', '']
      await db.write(async (tx) => {
        for (const [i, word] of words.entries()) await add(tx, i, word)
      })
      const sorted = await db.read((tx) => tx.all<{ name: string }>(sql`select name from things order by name`))
      const byBytes = words.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      deepEqual(
        sorted.map((row) => row.name),
        byBytes,
      )
      const above = await db.read((tx) => tx.all<{ name: string }>(sql`select name from things where name > ${'a'}`))
      equal(above.length, byBytes.length - byBytes.indexOf('a') - 1)
    })

    test('like tells upper from lower case', async () => {
      await db.write((tx) => add(tx, 1, 'Abc'))
      const found = (like: string) =>
        db.read(async (tx) => (await tx.all(sql`select id from things where name like ${like} escape '\\'`)).length)
      equal(await found('A%'), 1)
      equal(await found('a%'), 0)
    })

    test('a value that is taken is told as UniqueViolation, for a primary key and for a unique column', async () => {
      await db.write((tx) => add(tx, 1, 'a'))
      await rejects(
        db.write((tx) => add(tx, 1, 'b')),
        UniqueViolation,
      )
      await rejects(
        db.write((tx) => add(tx, 2, 'a')),
        UniqueViolation,
      )
      const other = await db.write((tx) => tx.run(sql`insert into things values (3, null, 3)`)).catch((error) => error)
      ok(other instanceof Error && !(other instanceof UniqueViolation))
    })

    test('foreign keys hold', async () => {
      await rejects(db.write((tx) => tx.run(sql`insert into parts values (404)`)))
    })

    test('a write keeps all of its statements or none', async () => {
      const boom = new Error('boom')
      const failing = db.write(async (tx) => {
        await add(tx, 1, 'a')
        throw boom
      })
      await rejects(failing, boom)
      equal(await db.read(countThings), 0)
    })

    test('a write whose statement failed cannot commit, even when the failure was caught', async () => {
      const careless = db.write(async (tx) => {
        await add(tx, 1, 'a')
        await add(tx, 1, 'again').catch(() => {})
      })
      await rejects(careless, TransactionSpoiled)
      const goingOn = db.write(async (tx) => {
        await tx.run(sql`select nothing`).catch(() => {})
        await add(tx, 2, 'b')
      })
      await rejects(goingOn, TransactionSpoiled)
      equal(await db.read(countThings), 0)
    })

    test('a read sees one state throughout, whatever is committed meanwhile', async () => {
      await db.write((tx) => add(tx, 1, 'a'))
      await db.read(async (tx) => {
        equal(await countThings(tx), 1)
        await db.write((other) => add(other, 2, 'b'))
        equal(await countThings(tx), 1)
        equal(await db.read(countThings), 2)
      })
    })

    test('a read never waits for a writer, nor sees what is not committed', async () => {
      const written = gate()
      const end = gate()
      const writing = db.write(async (tx) => {
        await add(tx, 1, 'a')
        written.open()
        await end.opened
      })
      await written.opened
      equal(await db.read(countThings), 0)
      end.open()
      await writing
      equal(await db.read(countThings), 1)
    })

    test('a read cannot write', async () => {
      await rejects(db.read((tx) => add(tx, 1, 'a')))
      equal(await db.read(countThings), 0)
    })

    test('of many writes at once, those that fail undo only themselves', async () => {
      const writes = Array.from({ length: 60 }, (_, i) =>
        db.write(async (tx) => {
          await add(tx, i, `n${i}`)
          if (i % 3 === 0) throw new Error('no')
          if (i % 3 === 1) await add(tx, i, 'the same id again')
          return i
        }),
      )
      const settled = await Promise.allSettled(writes)
      const kept = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      deepEqual(
        kept,
        Array.from({ length: 20 }, (_, i) => 3 * i + 2),
      )
      deepEqual(
        (await db.read(names)).map((row) => row.name),
        kept.map((i) => `n${i}`),
      )
    })

    test('what a write answered is there for every other handle at once', async () => {
      const other = await engine.open()
      for (let i = 0; i < 20; i += 1) {
        await db.write((tx) => add(tx, i, `n${i}`))
        equal(await other.read(countThings), i + 1)
      }
      await other.close()
    })

    test('two writers that add to the same number lose nothing', async () => {
      const other = await engine.open()
      await db.write((tx) => add(tx, 1, 'a'))
      const addOne = async (tx: Tx) => {
        const row = await tx.get<{ big: number }>(sql`select big from things where id = 1 ${tx.forUpdate}`)
        await tx.run(sql`update things set big = ${row!.big + 1} where id = 1`)
      }
      await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? db : other).write(addOne)))
      const row = await db.read((tx) => tx.get<{ big: number }>(sql`select big from things where id = 1`))
      equal(row?.big, 41)
      await other.close()
    })

    test('a transaction is of no use once it is over', async () => {
      const kept: Tx[] = []
      await db.read(async (tx) => void kept.push(tx))
      await db.write(async (tx) => void kept.push(tx))
      for (const tx of kept) await rejects(tx.get(sql`select 1 as one`), /this transaction is over/)
    })

    test('many reads at once all get their turn', async () => {
      await db.write((tx) => add(tx, 1, 'a'))
      const counts = await Promise.all(Array.from({ length: 100 }, () => db.read(countThings)))
      deepEqual(new Set(counts), new Set([1]))
    })

    test('close waits for what is in flight, and nothing runs after it', async () => {
      const other = await engine.open()
      const [begun, end] = [gate(), gate()]
      const reading = other.read(async (tx) => {
        await countThings(tx)
        begun.open()
        await end.opened
        return countThings(tx)
      })
      await begun.opened
      const writing = other.write((tx) => add(tx, 5, 'late'))
      await writing
      const closing = other.close()
      end.open()
      equal(await reading, 0)
      await closing
      await rejects(other.read(countThings))
      await rejects(other.write((tx) => add(tx, 6, 'too late')))
    })
  })

  migrations(engineName, newEngine)
}

function migrations(engineName: string, newEngine: () => Promise<Engine>): void {
  test(`migrations bring an empty database on ${engineName} up to date, once, and refuse a newer one`, async () => {
    const engine = await newEngine()
    const db = await engine.open()
    try {
      const { applied } = await migrate(db, new Date(0))
      ok(applied.length > 0)
      deepEqual(
        applied,
        Array.from(applied, (_, i) => i + 1),
      )
      deepEqual(await migrate(db, new Date(0)), { applied: [] })
      equal((await db.read((tx) => tx.get<{ n: number }>(sql`select count(*) as n from pools`)))?.n, 0)

      await db.write((tx) => tx.run(sql`insert into schema_migrations values (${9999}, ${'future'}, ${'later'})`))
      await rejects(migrate(db, new Date(0)), SchemaTooNew)
    } finally {
      await db.close()
      await engine.remove()
    }
  })

  test(`programs that start at the same time on an empty ${engineName} database migrate it once`, async () => {
    const engine = await newEngine()
    const handles = await Promise.all(Array.from({ length: 4 }, () => engine.open()))
    try {
      const results = await Promise.all(handles.map((db) => migrate(db, new Date(0))))
      equal(results.filter(({ applied }) => applied.length > 0).length, 1)
    } finally {
      await Promise.all(handles.map((db) => db.close()))
      await engine.remove()
    }
  })
}
