import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type pg from 'pg'

/** A Supabase Storage made by its documented schema and layout. */
export type PeerObject = {
  readonly id: string
  readonly bucket: string
  readonly name: string
  readonly version: string | null
  readonly content: Buffer
  readonly mediaType: string
  readonly cacheControl: string
  readonly etag: string
  readonly owner: string | null
  readonly userMetadata: object | null
  readonly createdAt: string
  readonly updatedAt: string
}

export const TENANT = 'storage-single-tenant'
export const OWNER = '11111111-0000-4000-8000-000000000001'

/** Its tables as its migrations left them in the year 2024, its row security and its helper functions. */
export async function makeOldPeerSchema(client: pg.Client): Promise<void> {
  for (const [role, attributes] of [
    ['anon', 'nologin'],
    ['authenticated', 'nologin'],
    ['service_role', 'nologin bypassrls'],
  ]) {
    // cluster-wide, and other files make them at the same time
    await client.query(`create role ${role} ${attributes}`).catch((error: { code?: string }) => {
      if (error.code !== '42710' && error.code !== '23505') throw error
    })
  }
  await client.query(`
    create schema auth;
    create function auth.uid() returns uuid language sql stable as $$
      select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
    create schema storage;
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
    create table storage.buckets (
      id text primary key, name text not null, owner uuid, created_at timestamptz default now(), updated_at timestamptz default now(),
      public boolean default false, avif_autodetection boolean default false, file_size_limit bigint, allowed_mime_types text[],
      owner_id text, type storage.buckettype not null default 'STANDARD');
    create unique index bname on storage.buckets (name);
    create table storage.objects (
      id uuid primary key default gen_random_uuid(), bucket_id text references storage.buckets (id), name text, owner uuid,
      created_at timestamptz default now(), updated_at timestamptz default now(), last_accessed_at timestamptz default now(), metadata jsonb,
      path_tokens text[] generated always as (string_to_array(name, '/')) stored, version text, owner_id text, user_metadata jsonb);
    create unique index bucketid_objname on storage.objects (bucket_id, name);
    create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
    alter table storage.buckets enable row level security;
    alter table storage.objects enable row level security;
    create function storage.foldername(name text) returns text[] language sql immutable as $$
      select (string_to_array(name, '/'))[1:cardinality(string_to_array(name, '/')) - 1] $$;
    create function storage.extension(name text) returns text language sql immutable as $$ select reverse(split_part(reverse(name), '.', 1)) $$`)
}

/** After all of its migrations: levels and prefixes, uploads in parts, signatures, and versions, with which a key may have many rows of one id. */
export async function makePeerSchema(client: pg.Client): Promise<void> {
  await makeOldPeerSchema(client)
  await client.query(`
    alter table storage.buckets
      add column versioning_status text not null default 'DISABLED' check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
      add column lifecycle_configuration jsonb,
      add column lifecycle_configuration_generation uuid;
    alter table storage.objects drop constraint objects_pkey;
    drop index storage.bucketid_objname;
    alter table storage.objects
      add column level int,
      add column signature bytea check (signature is null or octet_length(signature) = 32),
      add column archived_at timestamptz,
      add column is_delete_marker boolean not null default false,
      add column is_versioned boolean not null default false,
      add constraint objects_name_check check (name !~ E'[\\x01-\\x08\\x0B\\x0C\\x0E-\\x1F]');
    create unique index objects_bucket_id_name_version_key on storage.objects (bucket_id, name collate "C", version) nulls not distinct;
    create unique index idx_objects_current_version on storage.objects (bucket_id, name) where archived_at is null;
    create unique index idx_objects_null_version on storage.objects (bucket_id, name) where not is_versioned;
    create table storage.prefixes (
      bucket_id text references storage.buckets (id), name text collate "C", level int not null, created_at timestamptz default now(),
      updated_at timestamptz default now(), primary key (bucket_id, level, name));
    create table storage.s3_multipart_uploads (
      id text primary key, in_progress_size bigint not null default 0, upload_signature text not null,
      bucket_id text not null references storage.buckets (id), key text collate "C" not null, version text not null, owner_id text,
      created_at timestamptz not null default now(), user_metadata jsonb);
    create table storage.s3_multipart_uploads_parts (
      id uuid primary key default gen_random_uuid(), upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
      size bigint not null default 0, part_number int not null, bucket_id text not null references storage.buckets (id),
      key text collate "C" not null, etag text not null, owner_id text, version text not null, created_at timestamptz not null default now());
    create function storage.protect_delete() returns trigger language plpgsql as $$
      begin
        if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
          raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.' using errcode = '42501';
        end if;
        return null;
      end $$;
    create trigger protect_objects_delete before delete on storage.objects for each statement execute function storage.protect_delete();
    create function storage.operation() returns text language sql stable as $$ select current_setting('storage.operation', true) $$`)
}

export async function makePeerPolicies(client: pg.Client): Promise<void> {
  await client.query(`
    create policy "Give users access to own folder" on storage.objects for select to authenticated
      using (bucket_id = 'private' and (storage.foldername(name))[1] = (select auth.uid()::text));
    create policy "Anyone reads text" on storage.objects as permissive for select to anon, authenticated
      using (bucket_id = 'mixed' and storage.extension(name) = 'txt');
    create policy "Upload to own folder" on storage.objects for insert to authenticated
      with check (bucket_id = 'private' and (storage.foldername(name))[1] = auth.uid()::text);
    create policy "Never the vault" on storage.objects as restrictive for all to public
      using (name not like 'vault/%') with check (name not like 'vault/%');
    create policy "Buckets are seen" on storage.buckets for select to authenticated using (true)`)
}

const md5 = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`

export function peerObject(bucket: string, name: string, content: Buffer, more: Partial<PeerObject> = {}): PeerObject {
  return {
    id: randomUUID(),
    bucket,
    name,
    version: randomUUID(),
    content,
    mediaType: 'text/plain;charset=UTF-8',
    cacheControl: 'max-age=3600',
    etag: md5(content),
    owner: null,
    userMetadata: null,
    createdAt: '2023-04-05T06:07:08.123456+00:00',
    updatedAt: '2024-05-06T07:08:09.654321+00:00',
    ...more,
  }
}

/** One of each kind that has to arrive. */
export const peerObjects = (): readonly PeerObject[] => [
  peerObject('mixed', 'hello.txt', Buffer.from('hello, world')),
  peerObject('mixed', 'empty.txt', Buffer.alloc(0)),
  peerObject('mixed', 'a', Buffer.from('a leaf'), { mediaType: 'application/octet-stream', cacheControl: 'no-cache' }),
  peerObject('mixed', 'a/b', Buffer.from('and a folder of its name'), { mediaType: 'application/json' }),
  peerObject('mixed', 'new year/100 (final) & more.png', randomBytes(300_000), { mediaType: 'image/png', owner: OWNER }),
  peerObject('mixed', 'vault/secret.txt', Buffer.from('secret')),
  peerObject('private', `${OWNER}/diary.txt`, Buffer.from('dear diary'), { owner: OWNER, userMetadata: { mood: 'good', pages: [1, 2] } }),
  peerObject('private', 'someone/else.txt', Buffer.from('not yours')),
  peerObject('open', 'logo.svg', Buffer.from('<svg/>'), { mediaType: 'image/svg+xml', cacheControl: 'max-age=60' }),
  // keys as people have them
  peerObject('mixed', "it's (a) *key*! & $ @=;:+,?.txt", Buffer.from('signs')),
  peerObject('mixed', Array.from({ length: 40 }, (_, i) => `level ${i}`).join('/'), Buffer.from('deep')),
  peerObject('mixed', ' leading and trailing ', Buffer.from('spaces')),
  peerObject('mixed', 'double//slash', Buffer.from('as a path it is shorter')),
  peerObject('mixed', '/leading and trailing/', Buffer.from('slashes')),
  peerObject('mixed', 'folder/.emptyFolderPlaceholder', Buffer.alloc(0)),
  peerObject('open', 'hello.txt', Buffer.from('hello, another bucket')),
  // from before it had versions
  peerObject('open', 'ancient.bin', randomBytes(5_000), { version: null, mediaType: 'application/octet-stream' }),
  // stored in parts: its tag is no MD5 of the whole
  peerObject('open', 'large.bin', randomBytes(6 * 2 ** 20), { etag: `"${'0123456789abcdef'.repeat(2)}-2"`, mediaType: 'application/zip' }),
]

/** Keys from before it refused them: nobody can ask for them by address, there or here. */
export const oddPeerObjects = (): readonly PeerObject[] => [
  peerObject('mixed', 'Grüße/日本語/файл 🎈.txt', Buffer.from('unicode')),
  peerObject('mixed', '100%/a%2Fb/%.txt', Buffer.from('per cent')),
]

export async function insertPeerBuckets(client: pg.Client): Promise<void> {
  await client.query(
    `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id, created_at, updated_at) values
       ('mixed', 'mixed', false, null, null, null, null, '2022-01-01', '2022-01-02'),
       ('private', 'private', false, 1000000, array['text/plain', 'image/*'], $1::uuid, $2, '2022-01-03', '2022-01-04'),
       ('open', 'open', true, null, null, null, null, '2022-01-05', '2022-01-06')`,
    [OWNER, OWNER],
  )
}

export async function insertPeerObject(client: pg.Client, object: PeerObject): Promise<void> {
  const { content, etag, mediaType, cacheControl, updatedAt } = object
  const metadata = {
    eTag: etag,
    size: content.length,
    mimetype: mediaType,
    cacheControl,
    lastModified: new Date(updatedAt).toISOString(),
    contentLength: content.length,
    httpStatusCode: 200,
  }
  await client.query(
    `insert into storage.objects (id, bucket_id, name, version, owner, owner_id, metadata, user_metadata, created_at, updated_at, last_accessed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    [
      object.id,
      object.bucket,
      object.name,
      object.version,
      object.owner,
      object.owner,
      JSON.stringify(metadata),
      object.userMetadata === null ? null : JSON.stringify(object.userMetadata),
      object.createdAt,
      updatedAt,
    ],
  )
}

export const peerPath = ({ bucket, name, version }: PeerObject): string => [TENANT, bucket, name, ...(version ? [version] : [])].join('/')

export async function writePeerFile(folder: string, object: PeerObject): Promise<void> {
  const path = join(folder, peerPath(object))
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, object.content)
}
