import { Command } from 'commander';
export declare const sweepCommand: () => Command;
