import { readFile } from 'node:fs/promises'

/** What tells our tables from a user's own of the same names. */
const MARK = 'loaded by the Stowage demo'

/**
 * Loads the music shop into schema public once, and says who may see what. Never touches tables that it did not make.
 * @param {import('pg').Client} database
 * @returns {Promise<'loaded' | 'already there'>}
 */
export async function loadMusicShop(database) {
  const found = await database.query(
    `select obj_description(to_regclass('public.track'), 'pg_class') as comment, to_regclass('public.track') is not null as there`,
  )
  const { there, comment } = found.rows[0]
  if (there && comment !== MARK) throw new Error('This database has a table public.track of its own: run the demo on another one.')
  const script = await readFile(new URL('./chinook/chinook.sql', import.meta.url), 'utf8')
  await database.query('begin')
  if (!there) {
    await database.query('set local search_path = public')
    await database.query(script)
    await database.query(`comment on table public.track is '${MARK}'`)
  }
  await database.query(RULES)
  await database.query('commit')
  return there ? 'already there' : 'loaded'
}

/** The catalogue is for everybody; a customer sees their own invoices; the employees are for nobody. */
export const RULES = `
grant usage on schema public to anon, authenticated;
grant select on artist, album, track, genre, media_type, playlist, playlist_track, customer, invoice, invoice_line to anon, authenticated;
revoke all on employee from anon, authenticated;

alter table artist enable row level security;
alter table album enable row level security;
alter table track enable row level security;
alter table genre enable row level security;
alter table media_type enable row level security;
alter table playlist enable row level security;
alter table playlist_track enable row level security;
alter table customer enable row level security;
alter table invoice enable row level security;
alter table invoice_line enable row level security;
alter table employee enable row level security;

drop policy if exists "everybody" on artist;
drop policy if exists "everybody" on album;
drop policy if exists "everybody" on track;
drop policy if exists "everybody" on genre;
drop policy if exists "everybody" on media_type;
drop policy if exists "everybody" on playlist;
drop policy if exists "everybody" on playlist_track;
drop policy if exists "their own" on customer;
drop policy if exists "their own" on invoice;
drop policy if exists "their own" on invoice_line;

create policy "everybody" on artist for select using (true);
create policy "everybody" on album for select using (true);
create policy "everybody" on track for select using (true);
create policy "everybody" on genre for select using (true);
create policy "everybody" on media_type for select using (true);
create policy "everybody" on playlist for select using (true);
create policy "everybody" on playlist_track for select using (true);
create policy "their own" on customer for select to authenticated
  using (email = (select auth.jwt() ->> 'email'));
create policy "their own" on invoice for select to authenticated
  using (exists (select from customer c where c.customer_id = invoice.customer_id));
create policy "their own" on invoice_line for select to authenticated
  using (exists (select from invoice i where i.invoice_id = invoice_line.invoice_id));
`

/** What the tour asks of GraphQL, and the same asked in SQL by somebody who sees everything. */
export const CATALOGUE = {
  graphql: `query Catalogue($artist: String!) {
  artistCollection(filter: { name: { eq: $artist } }) {
    edges {
      node {
        name
        albumCollection(orderBy: [{ title: AscNullsLast }]) {
          edges {
            node {
              title
              trackCollection(first: 2, orderBy: [{ track_id: AscNullsLast }]) {
                edges { node { name milliseconds } }
              }
            }
          }
        }
      }
    }
  }
}`,
  variables: { artist: 'Antônio Carlos Jobim' },
  sql: `
select json_build_object('artistCollection', json_build_object('edges', json_agg(json_build_object('node', json_build_object(
  'name', a.name,
  'albumCollection', json_build_object('edges', (
    select json_agg(json_build_object('node', json_build_object(
      'title', b.title,
      'trackCollection', json_build_object('edges', (
        select json_agg(json_build_object('node', json_build_object('name', t.name, 'milliseconds', t.milliseconds)) order by t.track_id)
        from (select * from track t where t.album_id = b.album_id order by t.track_id limit 2) t)))) order by b.title collate "default")
    from album b where b.artist_id = a.artist_id)))))))
from artist a
where a.name = $1`,
}

export const INVOICES = {
  graphql: `{
  customerCollection {
    edges {
      node {
        email
        invoiceCollection(first: 2, orderBy: [{ invoice_id: AscNullsLast }]) {
          edges {
            node {
              total
              invoice_lineCollection(orderBy: [{ invoice_line_id: AscNullsLast }]) {
                edges { node { quantity track { name } } }
              }
            }
          }
        }
      }
    }
  }
}`,
  sql: `
select json_build_object('customerCollection', json_build_object('edges', json_agg(json_build_object('node', json_build_object(
  'email', c.email,
  'invoiceCollection', json_build_object('edges', (
    select json_agg(json_build_object('node', json_build_object(
      'total', i.total::text,
      'invoice_lineCollection', json_build_object('edges', (
        select json_agg(json_build_object('node', json_build_object('quantity', l.quantity, 'track', json_build_object('name', t.name))) order by l.invoice_line_id)
        from invoice_line l join track t on t.track_id = l.track_id
        where l.invoice_id = i.invoice_id)))) order by i.invoice_id)
    from (select * from invoice i where i.customer_id = c.customer_id order by i.invoice_id limit 2) i)))))))
from customer c
where c.email = $1`,
}
