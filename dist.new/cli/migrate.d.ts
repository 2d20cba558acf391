import { Command } from 'commander';
export declare const migrateCommand: () => Command;
