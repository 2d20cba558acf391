import { withClient } from '../../support/postgres.ts'
import { CREATE_ROLES } from '../../support/roles.ts'

/** A column as the questions see it: its field, how its value looks in JSON, and values worth asking for. */
export type Column = {
  readonly name: string
  readonly kind: 'number' | 'text' | 'big' | 'enum' | 'boolean' | 'uuid' | 'date' | 'list'
  /** the SQL type that literals are cast to */
  readonly type: string
  readonly nullable: boolean
  /** the JSON of a row's value, in SQL */
  readonly json: (reference: string) => string
  /** GraphQL literals of operands, and the text that PostgreSQL casts to the type */
  readonly samples: readonly (readonly [graphql: string, sql: string])[]
}

export type Table = {
  readonly name: string
  readonly type: string
  readonly key: readonly string[]
  readonly columns: readonly Column[]
  /** fields that hold other rows: by which columns they are found */
  readonly toMany: readonly {
    readonly field: string
    readonly table: string
    readonly on: readonly (readonly [own: string, other: string])[]
  }[]
  readonly toOne: readonly {
    readonly field: string
    readonly table: string
    readonly on: readonly (readonly [own: string, other: string])[]
  }[]
}

const asIs = (reference: string) => `to_jsonb(${reference})`
const asText = (reference: string) => `to_jsonb(${reference}::text)`
const strings = (...values: string[]) => values.map((value) => [JSON.stringify(value), value] as const)
const words = (...values: string[]) => values.map((value) => [value, value] as const)

const integer = (name: string, nullable: boolean, ...samples: string[]): Column => ({
  name,
  kind: 'number',
  type: 'int4',
  nullable,
  json: asIs,
  samples: words(...samples),
})

export const AUTHOR: Table = {
  name: 'author',
  type: 'author',
  key: ['id'],
  columns: [
    integer('id', false, '1', '3', '5', '99'),
    {
      name: 'name',
      kind: 'text',
      type: 'text',
      nullable: true,
      json: asIs,
      samples: strings('Ann', 'ann', 'Bö "b" \\', '', 'Zo\u0308e', '%', 'A', '😀'),
    },
    { name: 'active', kind: 'boolean', type: 'boolean', nullable: true, json: asIs, samples: words('true', 'false') },
    {
      name: 'score',
      kind: 'number',
      type: 'float8',
      nullable: true,
      json: asIs,
      samples: words('0.1', '-1.5', '0', '1e10', '0.30000000000000004'),
    },
  ],
  toMany: [{ field: 'bookCollection', table: 'book', on: [['id', 'author_id']] }],
  toOne: [],
}

export const BOOK: Table = {
  name: 'book',
  type: 'book',
  key: ['code', 'edition'],
  columns: [
    { name: 'code', kind: 'text', type: 'varchar(8)', nullable: false, json: asIs, samples: strings('a', 'b', 'B', 'é', '') },
    integer('edition', false, '1', '2', '3', '-1'),
    integer('author_id', true, '1', '2', '7'),
    integer('pages', true, '0', '10', '10', '250', '-2147483648'),
    {
      name: 'price',
      kind: 'big',
      type: 'numeric',
      nullable: true,
      json: asText,
      samples: strings('9.99', '10', '-0.01', '123456789012345678.91', 'NaN'),
    },
    {
      name: 'sold',
      kind: 'big',
      type: 'int8',
      nullable: true,
      json: asText,
      samples: strings('0', '9007199254740993', '9007199254740992', '-5'),
    },
    { name: 'state', kind: 'enum', type: 'public.state', nullable: false, json: asIs, samples: words('planned', 'out', 'gone') },
    {
      name: 'printed_at',
      kind: 'date',
      type: 'timestamptz',
      nullable: true,
      json: asIs,
      samples: strings('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001+00:00', 'infinity', '1999-12-31 23:59:59.999999+01'),
    },
    { name: 'day', kind: 'date', type: 'date', nullable: true, json: asIs, samples: strings('2026-01-01', '2025-06-30', '-infinity') },
    {
      name: 'mark',
      kind: 'uuid',
      type: 'uuid',
      nullable: true,
      json: asIs,
      samples: strings(
        '00000000-0000-4000-8000-000000000001',
        '00000000-0000-4000-8000-000000000002',
        'FFFFFFFF-ffff-4fff-8fff-ffffffffffff',
      ),
    },
    {
      name: 'tags',
      kind: 'list',
      type: 'text[]',
      nullable: true,
      json: asIs,
      samples: [
        ['["x"]', '{x}'],
        ['["x", "y"]', '{x,y}'],
        ['[]', '{}'],
        ['["\\"q\\"", "a,b"]', '{"\\"q\\"","a,b"}'],
        ['"x"', '{x}'],
      ],
    },
  ],
  toMany: [
    {
      field: 'loanCollection',
      table: 'loan',
      on: [
        ['code', 'book_code'],
        ['edition', 'book_edition'],
      ],
    },
  ],
  toOne: [{ field: 'author', table: 'author', on: [['author_id', 'id']] }],
}

export const LOAN: Table = {
  name: 'loan',
  type: 'loan',
  key: ['id'],
  columns: [
    { name: 'id', kind: 'big', type: 'int8', nullable: false, json: asText, samples: strings('9007199254740993', '3', '0') },
    { name: 'book_code', kind: 'text', type: 'text', nullable: true, json: asIs, samples: strings('a', 'b', 'z') },
    integer('book_edition', true, '1', '2'),
    { name: 'reader', kind: 'text', type: 'text', nullable: true, json: asIs, samples: strings('kim', 'KIM', 'lee', 'x_y', 'x%y', "o'h") },
    { name: 'weight', kind: 'number', type: 'float4', nullable: true, json: asIs, samples: words('0.1', '2.5', '1') },
  ],
  toMany: [],
  toOne: [
    {
      field: 'book',
      table: 'book',
      on: [
        ['book_code', 'code'],
        ['book_edition', 'edition'],
      ],
    },
  ],
}

export const TABLES: Readonly<Record<string, Table>> = { author: AUTHOR, book: BOOK, loan: LOAN }

/** Beyond this many rows an answer is cut. Less than there are rows. */
export const MAX_ROWS = 25

/** Small domains, so that equal values and nulls meet in every order. */
const SQL = `
${CREATE_ROLES}
create extension stowage_graphql;
comment on schema public is '@graphql({"max_rows": ${MAX_ROWS}, "introspection": true})';
create type state as enum ('planned', 'out', 'gone');
create table author (id int primary key, name text, active boolean, score float8);
create table book (
  code varchar(8) not null,
  edition int not null,
  author_id int references author (id),
  pages int,
  price numeric,
  sold bigint,
  state state not null,
  printed_at timestamptz,
  day date,
  mark uuid,
  tags text[],
  primary key (code, edition)
);
create table loan (
  id bigint primary key,
  book_code text,
  book_edition int,
  reader text,
  weight real,
  foreign key (book_code, book_edition) references book (code, edition)
);
comment on table author is '@graphql({"totalCount": {"enabled": true}})';
comment on table book is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
comment on table loan is '@graphql({"totalCount": {"enabled": true}})';
insert into author
select i,
  (array['Ann', 'ann', 'Bö "b" \\', null, '', 'Zo\u0308e', E'two\\nlines', '😀', 'A'])[i % 9 + 1],
  (array[true, false, null])[i % 3 + 1],
  (array[0.1, 0.1::float8 + 0.2, null, 'NaN', '-Infinity', -1.5, 0, '-0', 1e10, 1e-7])[i % 10 + 1]
from generate_series(1, 12) i;
insert into book
select (array['a', 'b', 'B', 'é', '', 'c"d', 'ab'])[i % 7 + 1], i / 7,
  case when i % 5 = 0 then null else i % 11 + 1 end,
  (array[0, 10, 10, 250, null, -2147483648, 2147483647])[(i * 3) % 7 + 1],
  (array[9.99, 10, 10.0, -0.01, null, 123456789012345678.91, 'NaN'])[(i * 5 / 3) % 7 + 1],
  (array[0, 9007199254740993, 9007199254740992, null, -5])[(i / 2) % 5 + 1],
  (array['planned', 'out', 'gone'])[i % 3 + 1]::state,
  (array['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001Z', null, 'infinity', '1999-12-31 23:59:59.999999+01'])[i % 5 + 1]::timestamptz,
  (array['2026-01-01', null, '2025-06-30', '-infinity'])[i % 4 + 1]::date,
  (array['00000000-0000-4000-8000-000000000001', null, '00000000-0000-4000-8000-000000000002', 'ffffffff-ffff-4fff-8fff-ffffffffffff'])[(i / 3) % 4 + 1]::uuid,
  (array['{x}', '{x,y}', null, '{}', '{"\\"q\\"","a,b"}', '{null,x}'])[i % 6 + 1]::text[]
from generate_series(0, 62) i;
insert into loan
select 9007199254740990 + i, b.code, b.edition, (array['kim', 'KIM', 'lee', null, 'x_y', 'xzy', 'x%y', 'o''h'])[i % 8 + 1], (array[0.1, 2.5, null, 1])[i % 4 + 1]
from generate_series(0, 80) i
left join lateral (select code, edition from book order by code, edition offset i % 13 limit 1) b on i % 9 <> 0;
create index on author (name);
create index on author (score desc nulls last, id);
create index on book (pages, sold);
create index on book (author_id, price desc nulls last, code);
create index on book (printed_at desc);
create index on book (day nulls first, mark) where pages > 0;
create index on loan (book_code, book_edition, reader);
create index on loan (weight desc nulls last);
create function half(book) returns int stable language sql as 'select $1.pages / 2';
create function add_numbers(a int, b int default 40) returns int immutable language sql as 'select a + b';
create function joined_words(words text[] default '{none}', glue text default '-') returns text immutable language sql as 'select array_to_string(words, glue)';
create function books_of(wanted int default null) returns setof book stable language sql as 'select * from book where author_id is not distinct from wanted';
create function rename_author(id int, name text default 'nameless') returns author volatile language sql as
  'update author set name = rename_author.name where author.id = rename_author.id returning *';
analyze;
grant usage on schema public to anon, authenticated, service_role;
grant select, insert, update, delete on author, book, loan to anon;
`

export const buildLibrary = (url: string): Promise<unknown> => withClient(url, (client) => client.query(SQL))
