import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadMusicShop } from '../../../demo/music-shop.js'
import { createService, type Service } from '../../../src/index.ts'
import { withClient } from '../../support/postgres.ts'

export type MusicService = Service & { readonly graphqlUrl: string }

/** The demo's music shop on a service of its own, and a table that everybody may write to. */
export async function startMusicService(): Promise<MusicService> {
  const folder = await mkdtemp(join(tmpdir(), 'clients-'))
  const service = await createService({ STOWAGE_DATA: folder, PORT: '0', STOWAGE_LOG_LEVEL: 'silent' })
  try {
    await withClient(service.databaseUrl, async (client) => {
      await loadMusicShop(client)
      await client.query(`
        comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
        create table review (
          id bigint generated always as identity primary key,
          artist_id int references artist (artist_id),
          stars int not null check (stars between 1 and 5),
          body text,
          written_at timestamptz not null default now()
        );
        comment on table review is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
        create function become_service() returns text language plpgsql volatile as $$
          begin perform set_config('role', 'service_role', true); return current_user; end
        $$;
        create function role_now() returns text language sql stable as $$ select current_user::text $$;
        grant select, insert, update, delete on review to anon, authenticated;
      `)
    })
  } catch (error) {
    await service.stop()
    throw error
  }
  return {
    ...service,
    graphqlUrl: `${service.baseUrl}/graphql/v1`,
    stop: async () => {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
