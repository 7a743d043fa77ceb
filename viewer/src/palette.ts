// Colours of Okabe and Ito, which people with any kind of colour vision can tell apart; the darker or lighter member
// of each where the ground asks for it.

export interface Palette {
  dark: boolean;
  ground: string;
  text: string;
  faint: string;
  grid: string;
  axes: [string, string, string];
  w: string;
  h: string;
  tau: string;
  body: string;
  bodyMark: string;
  /** Of the bodies of a mechanism, in turn. */
  tints: string[];
  /** What was picked. */
  chosen: string;
  cans: [string, string, string, string];
  lock: string;
  series: string[];
}

export const light: Palette = {
  dark: false,
  ground: '#f6f7f9',
  text: '#1b2733',
  faint: '#5b6875',
  grid: '#c9d0d8',
  axes: ['#c04d00', '#007a59', '#0065a3'],
  w: '#a3428a',
  h: '#b07600',
  tau: '#0065a3',
  body: '#8fa3b8',
  bodyMark: '#aebfd0',
  tints: ['#8fa3b8', '#b9a58c', '#9bb39a', '#b3a0b8'],
  chosen: '#0065a3',
  cans: ['#9aa4ae', '#4a90c2', '#d99a1c', '#a3629b'],
  lock: '#c04d00',
  series: ['#c04d00', '#007a59', '#0065a3', '#a3428a', '#b07600', '#3a8fc4', '#1b2733'],
};

export const dark: Palette = {
  dark: true,
  ground: '#12171d',
  text: '#e8edf2',
  faint: '#9aa7b4',
  grid: '#333e4a',
  axes: ['#ff8140', '#2fc79c', '#62b8f0'],
  w: '#e294c2',
  h: '#f0b429',
  tau: '#62b8f0',
  body: '#6f8298',
  bodyMark: '#8a9db3',
  tints: ['#6f8298', '#8f7d63', '#6c8a6e', '#87748d'],
  chosen: '#62b8f0',
  cans: ['#7d8893', '#4a9fd8', '#e0a52b', '#c583bb'],
  lock: '#ff8140',
  series: ['#ff8140', '#2fc79c', '#62b8f0', '#e294c2', '#f0b429', '#9ed2f5', '#e8edf2'],
};
