/**
 * Ways to break the service on purpose: edits of its compiled modules, made while they are loaded, and the checkers of which at least one
 * must notice. What no checker notices is not checked.
 *
 * @typedef {object} Sabotage
 * @property {string} name
 * @property {readonly import('./preload/edit-modules.js').Edit[]} edits
 * @property {readonly import('./verdicts.js').Checker[]} caughtBy
 * @property {readonly import('./schedule.js').Planned[]} faults under which it shows
 * @property {number} [processes] it takes so many
 */

/** Long enough for everything to have happened. @type {import('./schedule.js').Planned} */
const QUIET = { fault: 'terminate', afterMs: 500, afterOperations: 400 }
/** @type {import('./schedule.js').Planned} */
const CUT = { fault: 'cut', afterMs: 500, afterOperations: 150 }
/** @type {import('./schedule.js').Planned} */
const KILL = { fault: 'kill', afterMs: 500, afterOperations: 150 }

/** @type {import('./schedule.js').Planned} */
const FREEZE = { fault: 'freeze one', afterMs: 500, afterOperations: 150 }

/** Small files the way large ones go, so that what breaks those breaks all. */
const NO_THREADS = { file: 'bytes/fs.js', find: 'if (!threads)', put: 'if (true)' }

/** @type {readonly Sabotage[]} */
export const SABOTAGES = [
  {
    name: 'bytes are not synced',
    edits: [
      { file: 'bytes/fs.js', find: 'await syncing(() => handle.sync());', put: '' },
      { file: 'bytes/keep-files.js', find: 'attempt(() => io.fsyncSync(file))', put: 'null' },
    ],
    caughtBy: ['C3', 'C6'],
    faults: [CUT, CUT],
  },
  {
    name: 'rows are not synced',
    edits: [{ file: 'service/embedded-postgres.js', find: `'jit=off',`, put: `'jit=off', 'synchronous_commit=off',` }],
    caughtBy: ['C3'],
    faults: [CUT, CUT],
  },
  {
    name: 'bytes are removed before the row',
    edits: [
      {
        file: 'storage/object/delete-object.js',
        find: 'const [gone] =',
        put: `const [doomed] = await askAsService(deps, call, [{ text: 'select version from storage.objects where bucket_id = $1 and name = $2', values: [bucket, key] }], signal);
    if (doomed?.[0]) await deps.bytes.delete([doomed[0][0]]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [gone] =`,
      },
    ],
    caughtBy: ['C3', 'C6'],
    faults: [QUIET],
  },
  {
    name: 'the row is there before the bytes',
    edits: [
      NO_THREADS,
      {
        file: 'bytes/write-slabs.js',
        find: 'send(last, last.subarray(0, filled), digest.finish)',
        put: '(setTimeout((late) => import("node:fs").then((fs) => fs.appendFileSync(handle.late, late)).catch(() => undefined), 300, Buffer.from(last.subarray(0, filled))), digest.finish(last.subarray(0, filled)))',
      },
      {
        file: 'bytes/fs.js',
        find: 'stored = (await writeSlabs(',
        put: 'handle.late = pathOf(version); stored = (await writeSlabs(',
      },
    ],
    caughtBy: ['C3', 'C6', 'C10'],
    faults: [QUIET],
  },
  {
    name: 'a body that breaks off is taken for whole',
    edits: [
      {
        file: 'bytes/read-chunks.js',
        find: `fail(new BodyBrokeOff('the body ended before it was complete'));`,
        put: '{ ended = true; wake(); }',
      },
      { file: 'bytes/read-chunks.js', find: `.on('error', fail)`, put: `.on('error', onClose)` },
      { file: 'bytes/read-chunks.js', find: `signal.addEventListener('abort', onAbort, { once: true });`, put: '' },
      NO_THREADS,
      { file: 'bytes/fs.js', find: 'signal.throwIfAborted();\n                await syncing', put: 'await syncing' },
      { file: 'bytes/fs.js', find: 'signal.throwIfAborted();\n            return await stored;', put: 'return await stored;' },
    ],
    caughtBy: ['C3', 'C5'],
    faults: [QUIET],
  },
  {
    name: 'a connection keeps who asked before',
    edits: [
      {
        file: 'pg/preamble.js',
        find: `set('request.jwt.claims', 2),`,
        put: `"case when coalesce(current_setting('request.jwt.claims', true), '') in ('', '{}') or $2::text = '' then set_config('request.jwt.claims', $2::text, false) end",`,
      },
    ],
    caughtBy: ['C9'],
    faults: [QUIET],
  },
  {
    name: 'creating replaces',
    edits: [{ file: 'storage/object/publish.js', find: `replacing.kind === 'never' ? publishNew`, put: 'replacing === null ? publishNew' }],
    caughtBy: ['C1', 'C8'],
    faults: [QUIET],
  },
  {
    name: 'a refusal comes after the deed',
    edits: [
      { file: 'storage/object/publish.js', find: `replacing.kind === 'never' ? publishNew`, put: 'replacing === null ? publishNew' },
      {
        file: 'storage/object/publish.js',
        find: '\n    return record ?? (await recordElsewhere(deps, call, id));\n}',
        put: `\n    if (replacing.kind === 'never') throw keyAlreadyExists();\n    return record;\n}`,
      },
    ],
    caughtBy: ['C4'],
    faults: [QUIET],
  },
  {
    name: 'a list forgets its first entry',
    edits: [
      {
        file: 'storage/object/list-objects.js',
        find: "return rows?.[0]?.[0] ?? '[]';",
        put: "return JSON.stringify(JSON.parse(Buffer.from(rows?.[0]?.[0] ?? '[]').toString()).slice(1));",
      },
    ],
    caughtBy: ['C1', 'C2'],
    faults: [QUIET],
  },
  {
    name: 'the sweeper forgets without removing',
    edits: [{ file: 'storage/sweep/drain-outbox.js', find: 'await bytes.delete(batch);', put: '' }],
    caughtBy: ['C7'],
    faults: [QUIET],
  },
  {
    name: 'what was given up while its process was frozen is published',
    edits: [
      {
        file: 'storage/rows/ledger.sql.js',
        find: `TAKEN_INTENT = \`intent as (
      delete from stowage.intents
       where version = $1::uuid
      returning version`,
        put: `TAKEN_INTENT = \`intent as (
      select $1::uuid as version`,
      },
    ],
    caughtBy: ['C3', 'C6'],
    faults: [FREEZE, FREEZE, FREEZE, FREEZE],
    processes: 3,
  },
  {
    name: 'a token is logged',
    edits: [
      {
        file: 'http/storage/caller.js',
        find: 'const token = bearerOf(request.headers, request.query);',
        put: 'const token = bearerOf(request.headers, request.query); process.stderr.write(`stowage: asked by ${token}\\n`);',
      },
    ],
    caughtBy: ['C11'],
    faults: [QUIET],
  },
  {
    name: 'a fault that nobody catches',
    edits: [
      {
        file: 'storage/object/move-object.js',
        find: 'const stays =',
        put: "setTimeout(() => { throw new Error('sabotage') }, 1_000);\n    const stays =",
      },
    ],
    caughtBy: ['C10'],
    faults: [QUIET],
  },
  {
    name: 'files stay open',
    edits: [
      {
        file: 'bytes/fs.js',
        find: 'handle.close().catch(() => undefined);\n            return new HeldBytes',
        put: '(globalThis.open ??= []).push(handle);\n            return new HeldBytes',
      },
    ],
    caughtBy: ['C10'],
    faults: [{ fault: 'kill backend', afterMs: 500, afterOperations: 150 }],
  },
  {
    name: 'each half of a mutation commits by itself',
    edits: [
      {
        file: 'graphql/resolve.js',
        find: "const rows = await deps.run(batchOf(deps, catalog, as, kind === 'query' ? 'read only' : 'read write', end, statements), signal);",
        put: `const rows = [];
        for (const statement of statements) {
            rows.push(...(await deps.run(batchOf(deps, catalog, as, kind === 'query' ? 'read only' : 'read write', end, [statement]), signal)));
            if (kind === 'mutation') await new Promise((resolve) => setTimeout(resolve, 300));
        }`,
      },
    ],
    caughtBy: ['C12'],
    faults: [KILL, KILL],
  },
]
