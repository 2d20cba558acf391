import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANON_KEY, SERVICE_KEY, type StorageService, startStorageService, token } from './storage-service.ts'

const MIA = 'a0000000-0000-4000-8000-00000000000a'
const NOA = 'b0000000-0000-4000-8000-00000000000b'
const KIM = 'c0000000-0000-4000-8000-00000000000c'

/** The shapes of policies that users of Supabase write most. */
const POLICIES = `
  create table public.team (id text primary key, name text not null);
  create table public.member (team_id text references public.team, user_id uuid not null, may_write boolean not null);
  alter table public.team enable row level security;
  alter table public.member enable row level security;
  grant select on public.team, public.member to anon, authenticated;
  create policy "own memberships" on public.member for select to authenticated using (user_id = auth.uid());
  insert into public.team (id, name) values ('red', 'Red'), ('blue', 'Blue');
  insert into public.member (team_id, user_id, may_write) values ('red', '${MIA}', true), ('red', '${NOA}', false), ('blue', '${NOA}', true);

  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'home' and (storage.foldername(name))[1] = (select auth.uid())::text)
    with check (bucket_id = 'home' and (storage.foldername(name))[1] = (select auth.uid())::text);

  create policy "everybody reads pictures" on storage.objects for select to anon, authenticated
    using (bucket_id = 'gallery' and storage.extension(name) in ('png', 'svg'));
  create policy "owners write" on storage.objects for insert to authenticated
    with check (bucket_id = 'gallery' and owner_id = auth.jwt() ->> 'sub');
  create policy "owners remove" on storage.objects for delete to authenticated
    using (bucket_id = 'gallery' and owner_id = auth.jwt() ->> 'sub');

  create policy "members read" on storage.objects for select to authenticated
    using (bucket_id = 'teams' and exists (
      select from public.member m where m.team_id = (storage.foldername(objects.name))[1] and m.user_id = auth.uid()));
  create policy "members write" on storage.objects for insert to authenticated
    with check (bucket_id = 'teams' and exists (
      select from public.member m where m.team_id = (storage.foldername(objects.name))[1] and m.user_id = auth.uid() and m.may_write));

  create policy "buckets" on storage.buckets for select to authenticated using (id <> 'vault');
`

const OBJECTS = {
  home: [`${MIA}/diary.txt`, `${MIA}/deep/er/note.txt`, `${NOA}/diary.txt`, 'loose.txt'],
  gallery: ['tom.png', 'plan.svg', 'list.txt', 'deep/tom.png'],
  teams: ['red/goals.txt', 'red/a/b.txt', 'blue/goals.txt', 'green/goals.txt'],
  vault: ['gold.txt'],
} as const

type Caller = { readonly role: 'anon' | 'authenticated' | 'service_role'; readonly sub?: string; readonly key: string }

const user = (sub: string): Caller => ({ role: 'authenticated', sub, key: token({ role: 'authenticated', sub }) })
const CALLERS: Readonly<Record<string, Caller>> = {
  anon: { role: 'anon', key: ANON_KEY },
  mia: user(MIA),
  noa: user(NOA),
  kim: user(KIM),
  service: { role: 'service_role', key: SERVICE_KEY },
}

let service: StorageService
let owner: pg.Client
beforeAll(async () => {
  service = await startStorageService('policies')
  owner = await service.database.connect()
  await owner.query(POLICIES)
  for (const [bucket, keys] of Object.entries(OBJECTS)) {
    await post('service', '/bucket', { name: bucket })
    for (const key of keys) await upload('service', bucket, key)
  }
  await owner.query(`update storage.objects set owner_id = $1, owner = $2 where bucket_id = 'gallery' and name = 'tom.png'`, [MIA, MIA])
})
afterAll(() => service.close())

const headersOf = (caller: string) => ({ authorization: `Bearer ${CALLERS[caller]?.key}` })
const post = (caller: string, path: string, body: object) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { ...headersOf(caller), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const upload = (caller: string, bucket: string, key: string, method = 'POST') =>
  fetch(`${service.url}/object/${bucket}/${key}`, {
    method,
    headers: { ...headersOf(caller), 'content-type': 'text/plain' },
    body: `text of ${key}`,
  })

/** What a session of the owner's sees that takes on the role and the claims, as one would try a policy in psql. */
async function inPsql<T>(caller: string, ask: () => Promise<T>): Promise<T> {
  const { role, sub } = CALLERS[caller] as Caller
  await owner.query('begin')
  try {
    await owner.query(`select set_config('request.jwt.claims', $1, true), set_config('storage.allow_delete_query', 'true', true)`, [
      JSON.stringify({ role, sub }),
    ])
    await owner.query(`set local role ${role}`)
    return await ask()
  } finally {
    await owner.query('rollback')
  }
}

const rows = (text: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> =>
  owner.query(text, [...values]).then((result) => result.rows)

describe.each(Object.keys(CALLERS))('%s', (caller) => {
  it.each(Object.keys(OBJECTS))('sees of %s what psql shows', async (bucket) => {
    const shown = await inPsql(caller, () =>
      rows('select name from storage.objects where bucket_id = $1 order by name collate "C"', bucket),
    )
    const visible = shown.map(({ name }) => String(name))

    const page = (await (await post(caller, `/object/list-v2/${bucket}`, { limit: 100 })).json()) as { objects: { name: string }[] }
    expect(page.objects.map(({ name }) => name)).toEqual(visible)
    const level = (await (await post(caller, `/object/list/${bucket}`, { prefix: '' })).json()) as { name: string }[]
    expect(level.map(({ name }) => name).sort()).toEqual([...new Set(visible.map((name) => name.split('/')[0] ?? ''))].sort())

    for (const key of OBJECTS[bucket as keyof typeof OBJECTS]) {
      const sees = visible.includes(key)
      const answers = await Promise.all([
        fetch(`${service.url}/object/authenticated/${bucket}/${key}`, { headers: headersOf(caller) }),
        fetch(`${service.url}/object/info/${bucket}/${key}`, { headers: headersOf(caller) }),
        post(caller, `/object/sign/${bucket}/${key}`, { expiresIn: 60 }),
      ])
      expect([key, ...answers.map(({ status }) => status)]).toEqual([key, ...answers.map(() => (sees ? 200 : 400))])
      const may = await mayWrite(caller, bucket, `copies/${key}`)
      const copied = await post(caller, '/object/copy', { bucketId: bucket, sourceKey: key, destinationKey: `copies/${key}` })
      expect([key, copied.status]).toEqual([key, sees && may ? 200 : 400])
      if (copied.ok) await fetch(`${service.url}/object/${bucket}/copies/${key}`, { method: 'DELETE', headers: headersOf('service') })
    }
  })

  it.each<[string, string]>([
    ['home', `${MIA}/new.txt`],
    ['home', `${NOA}/new.txt`],
    ['home', 'new.txt'],
    ['gallery', 'new.png'],
    ['teams', 'red/new.txt'],
    ['teams', 'blue/new.txt'],
    ['teams', 'green/new.txt'],
    ['vault', 'new.txt'],
  ])('writes to %s %s if psql lets it', async (bucket, key) => {
    const may = await mayWrite(caller, bucket, key)
    const answer = await upload(caller, bucket, key)
    expect(answer.status).toBe(may ? 200 : 400)
    if (!may) expect(await answer.json()).toMatchObject({ statusCode: '403', message: 'new row violates row-level security policy' })
    const removable = await inPsql(caller, () =>
      rows('delete from storage.objects where bucket_id = $1 and name = $2 returning name', bucket, key),
    )
    const removed = await fetch(`${service.url}/object/${bucket}`, {
      method: 'DELETE',
      headers: { ...headersOf(caller), 'content-type': 'application/json' },
      body: JSON.stringify({ prefixes: [key] }),
    })
    expect(((await removed.json()) as { name: string }[]).map(({ name }) => ({ name }))).toEqual(removable)
    await fetch(`${service.url}/object/${bucket}/${key}`, { method: 'DELETE', headers: headersOf('service') })
  })

  it('sees the buckets that psql shows', async () => {
    const shown = await inPsql(caller, () => rows('select id from storage.buckets order by id collate "C"'))
    const listed = (await (await fetch(`${service.url}/bucket?sortColumn=id`, { headers: headersOf(caller) })).json()) as { id: string }[]
    expect(listed.map(({ id }) => ({ id }))).toEqual(shown)
  })
})

it('is not the same for everybody', async () => {
  const seen = await Promise.all(
    Object.keys(CALLERS).map(async (caller) => {
      const pages = await Promise.all(
        Object.keys(OBJECTS).map((bucket) => post(caller, `/object/list-v2/${bucket}`, {}).then((answer) => answer.json())),
      )
      return (pages as { objects: object[] }[]).map(({ objects }) => objects.length)
    }),
  )
  expect(Object.fromEntries(Object.keys(CALLERS).map((caller, i) => [caller, seen[i]]))).toEqual({
    anon: [0, 3, 0, 0],
    mia: [2, 3, 2, 0],
    noa: [1, 3, 3, 0],
    kim: [0, 3, 0, 0],
    service: [4, 4, 4, 1],
  })
})

function mayWrite(caller: string, bucket: string, key: string): Promise<boolean> {
  const sub = CALLERS[caller]?.sub ?? null
  return inPsql(caller, () =>
    rows('insert into storage.objects (bucket_id, name, owner_id) values ($1, $2, $3)', bucket, key, sub).then(
      () => true,
      (error) => {
        expect(error.code).toBe('42501')
        return false
      },
    ),
  )
}
