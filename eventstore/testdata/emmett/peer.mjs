// Makes the calls that each line on stdin asks for, by Emmett, and answers with how many seconds they took and how many events it has.
//   node peer.mjs DATABASE_URL CONNECTIONS
//   {"call": "append", "callers": 16, "calls": 1000, "events": 1}   or "load": a stream of that many events
import { createInterface } from "node:readline";
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import pg from "pg";

const [url, connections] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: Number(connections) });
const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
await store.schema.migrate();

const versions = new Map(); // of each stream, as the last append returned it
let made = 0;
const eventsOf = (n) => Array.from({ length: n }, () => ({ type: "budget.spent", data: { units: 50, total: 2500, by: "somebody with a name" } }));

async function append(stream, events) {
  const expectedStreamVersion = versions.get(stream);
  const { nextExpectedStreamVersion } = await store.appendToStream(stream, events, expectedStreamVersion === undefined ? {} : { expectedStreamVersion });
  versions.set(stream, nextExpectedStreamVersion);
  made += events.length;
}

async function load(stream, want) {
  const { events } = await store.readStream(stream);
  if (events.length !== want) throw new Error(`${stream} has ${events.length} events, not ${want}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { call, callers, calls, events } = JSON.parse(line);
  const batch = eventsOf(events);
  if (call === "load") for (let i = 0; i < callers; i++) if (!versions.has(`loaded-${events}-${i}`)) await append(`loaded-${events}-${i}`, batch);
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (next++ < calls) await (call === "load" ? load(`loaded-${events}-${caller}`, events) : append(`budget-${events}-${caller}`, batch));
    }),
  );
  console.log(JSON.stringify({ seconds: (performance.now() - began) / 1000, made }));
}
await store.close();
await pool.end();
