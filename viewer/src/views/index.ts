// The ways to look at a motion: a class in a file of this folder each, and a line here.
import type { Track } from '../result';
import type { Shown, View } from './base';
import { CansView } from './cans';
import { MotionView } from './motion';
import { PoinsotView } from './poinsot';
import { SphereView } from './sphere';

interface Way {
  id: string;
  name: string;
  /** Whether there is something to see of this body. */
  has(track: Track): boolean;
  make(shown: Shown): View;
}

const turns = (track: Track): boolean => (track.body.moments?.every((J) => J > 0) ?? false) && track.firstTurn >= 0;

export const ways: Way[] = [
  { id: 'motion', name: 'Motion', has: () => true, make: (shown) => new MotionView(shown) },
  { id: 'poinsot', name: 'Poinsot', has: turns, make: (shown) => new PoinsotView(shown) },
  { id: 'cans', name: 'Cans', has: () => true, make: (shown) => new CansView(shown) },
  { id: 'sphere', name: 'Sphere', has: () => true, make: (shown) => new SphereView(shown) },
];
