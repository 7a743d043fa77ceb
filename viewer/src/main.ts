// The page: a run, the picture of it, its plots, its certificate and its scenario.
import { fillBodies, bodyWords, type BodyHost } from './bodies';
import { byId, element, readable } from './dom';
import { readBlock, readFile } from './decode';
import { pageKind, type PageKind } from './pages';
import { dark, light, type Palette } from './palette';
import { PlotList, type PlotListHost } from './plot_list';
import { quantitiesOf, type Quantity } from './quantities';
import { locate, type Result } from './result';
import { rotateBack, sequenceOf, sequences, type Vec } from './rotation';
import { eyes, Stage } from './stage';
import { applyFragment, flags, toFragment, type Flag, type State } from './state';
import { niceBelow } from './views/base';
import { CansView } from './views/cans';
import { layoutOf } from './views/motion';
import { remarks } from './words';

class Page implements PlotListHost, BodyHost {
  result!: Result;
  private kind!: PageKind;
  quantities: Quantity[] = [];
  readonly plots = new PlotList(this);
  private readonly stage: Stage | null;
  private dirty = true;
  private lastFrame = 0;
  private fragmentTimer = 0;
  private noteTimer = 0;
  /** The control that has the focus was reached by keys. */
  private byKeyboard = false;
  palette: Palette = light;
  state: State = {
    t: 0,
    playing: false,
    speed: 1,
    loop: true,
    view: 'motion',
    body: '',
    looks: {
      frame: 'space', follow: true, w: true, h: true, tau: true, frames: true, grid: true, trail: true, clear: false, trailTurns: 2.5, chosen: [],
      sequence: '3-1-3',
    },
    plots: [],
    range: null,
    camera: null,
    theme: null,
  };
  /** Milliseconds of our own work in recent frames. */
  readonly work: number[] = [];

  constructor() {
    const canvas = byId<HTMLCanvasElement>('canvas');
    let stage: Stage | null = null;
    try {
      stage = new Stage(canvas, () => this.touch());
    } catch {
      byId('no-webgl').hidden = false;
    }
    this.stage = stage;
    this.listen();
  }

  get range(): [number, number] {
    return this.state.range ?? [this.result.start, this.result.end];
  }

  // ---- a run ---------------------------------------------------------------------------------------------------

  open(result: Result, fragment: string): void {
    this.result = result;
    this.kind = pageKind(result);
    const { state, kind } = this;
    const span = result.end - result.start;
    let fastest = 0;
    for (const track of result.bodies.slice(0, 8)) {
      const stride = Math.max(1, Math.floor(result.t.length / 2000));
      for (let i = 0; track.w && i < result.t.length; i += stride) {
        const rate = Math.hypot(...track.rate(i)!);
        if (rate > fastest) fastest = rate; // not NaN
      }
    }
    // the whole run within a minute, and where that allows it no faster than two turns a second
    state.speed = Math.max(niceBelow(Math.max(span / 60, 1e-9)) * (span > 60 ? 2 : 1), Math.min(1, fastest > 0 ? niceBelow(15 / fastest) : 1));
    state.looks.follow = result.bodies.length > 0 && (!result.mechanism || layoutOf(result, kind.overlay ?? false).travels);
    state.looks.chosen = result.bodies.length > 1 ? kind.chosen(result) : [];
    state.body = '';
    state.t = result.start;
    state.range = null;
    state.plots = [];
    const given = applyFragment(state, fragment);
    state.t = Math.min(result.end, Math.max(result.start, state.t));
    if (!sequences.some((s) => s.name === state.looks.sequence)) state.looks.sequence = '3-1-3';
    this.findQuantities();
    if (!new URLSearchParams(fragment.replace(/^#/, '')).has('plots')) {
      state.plots = kind.plots(result).filter((id) => this.plots.quantity(id)).slice(0, 3);
      if (state.plots.length === 0) state.plots = this.quantities.slice(0, 2).map((quantity) => quantity.id);
    }
    state.playing = !given && !matchMedia('(prefers-reduced-motion: reduce)').matches && fragment === '';
    const camera = state.camera;
    this.applyTheme();
    this.fillTexts();
    this.fillStage();
    this.fillTransport();
    this.rebuildPlots();
    this.updateControls();
    if (camera) this.restoreCamera(camera);
    this.resize();
    this.touch();
  }

  // ---- bodies --------------------------------------------------------------------------------------------------

  get picked(): number {
    return Math.max(0, this.result.bodies.findIndex(({ body }) => body.name === this.state.body));
  }
  get chosen(): string[] {
    return this.state.looks.chosen;
  }

  private findQuantities(): void {
    const { result, kind } = this;
    this.quantities = quantitiesOf(result, result.bodies[this.picked], kind.quantities?.(result, this.chosen) ?? []);
  }

  pick(index: number): void {
    const body = this.result.bodies[index]?.body;
    if (!body) return;
    this.state.body = body.name;
    this.findQuantities();
    const camera = this.cameraNumbers();
    this.fillStage();
    this.restoreCamera(camera);
    this.rebuildPlots();
    this.updateControls();
    this.touch();
  }

  /** The next body of the list, or the one before. */
  private pickNext(by: number): void {
    const { length } = this.result.bodies;
    if (length > 1) this.pick((this.picked + by + length) % length);
  }

  choose(name: string, on: boolean): void {
    const { looks } = this.state;
    this.setChosen(on ? [...looks.chosen, name] : looks.chosen.filter((one) => one !== name));
  }
  setChosen(names: string[]): void {
    this.state.looks.chosen = names;
    if (this.kind.overlay) {
      // what is not shown is not plotted
      this.findQuantities();
      this.rebuildPlots();
    }
    this.updateControls();
    this.touch();
  }

  /** What a joint has to show goes where the last plot is. */
  plotJoint(name: string): void {
    const own = this.quantities.filter((quantity) => quantity.id.startsWith(`${name}/`)).map((quantity) => quantity.id);
    if (own.length === 0) return;
    this.state.plots = own.slice(0, 3);
    this.showPanel('plots');
    this.rebuildPlots();
    this.touch();
  }

  private fillTexts(): void {
    const { head, source } = this.result;
    document.title = head.title || source;
    byId('title').textContent = head.title || source;
    const { kind } = this;
    const { text, look } = kind.verdict(this.result);
    byId('verdict').textContent = byId('verdict').title = text;
    byId('verdict').className = `verdict ${look}`;
    byId('thinned').textContent = remarks(this.result);
    byId('thinned').title = remarks(this.result);
    byId('summary').replaceChildren(...kind.summary(this.result));
    byId('scenario').replaceChildren(
      head.scenario
        ? element('pre', { tabindex: 0 }, head.scenario)
        : element('p', {}, 'This file does not hold the text of its scenario.'),
    );
  }

  // ---- the stage -----------------------------------------------------------------------------------------------

  private fillStage(): void {
    const { stage, state } = this;
    const tabs = byId('views');
    tabs.replaceChildren();
    if (!stage) return;
    stage.show(this.result, this.picked, this.kind.overlay ?? false, this.palette);
    const available = stage.available();
    byId('nothing').hidden = available.length > 0;
    if (!available.some(({ id }) => id === state.view)) state.view = available[0]?.id ?? 'motion';
    available.forEach(({ id, name }, i) => {
      tabs.append(element('button', { type: 'button', role: 'tab', id: `view-${id}`, title: `${name} (${i + 1})`, click: () => this.setView(id) }, name));
    });
    if (available.length > 0) this.setView(state.view);
  }

  setView(id: string): void {
    if (!this.stage?.available().some((way) => way.id === id)) return;
    this.state.view = id;
    this.stage.select(id);
    this.updateControls();
    this.touch();
  }

  setSequence(name: string): void {
    this.state.looks.sequence = name;
    this.updateControls();
    this.touch();
  }

  toggle(flag: Flag): void {
    this.state.looks[flag] = !this.state.looks[flag];
    this.updateControls();
    this.touch();
  }

  setFrame(frame: 'space' | 'body'): void {
    this.state.looks.frame = frame;
    this.updateControls();
    this.touch();
  }

  // ---- time ----------------------------------------------------------------------------------------------------

  setTime(t: number): void {
    this.state.t = Math.min(this.result.end, Math.max(this.result.start, t));
    this.touch();
  }

  step(rows: number): void {
    this.state.playing = false;
    const { t } = this.result;
    const { row, u } = locate(t, this.state.t);
    const target = rows < 0 && u > 1e-9 ? row + 1 + rows : row + rows;
    this.setTime(t[Math.min(t.length - 1, Math.max(0, target))]!);
    this.updateControls();
  }

  play(on = !this.state.playing): void {
    if (on && this.state.t >= this.result.end) this.state.t = this.result.start;
    this.state.playing = on;
    this.lastFrame = 0;
    this.updateControls();
    this.touch();
  }

  setSpeed(speed: number): void {
    this.state.speed = Math.min(1e6, Math.max(1e-6, speed));
    this.updateControls();
    this.touch();
  }

  /** The next speed of 1, 2, 5, 10, ... */
  changeSpeed(up: boolean): void {
    const now = niceBelow(this.state.speed * 1.0001);
    const first = Math.round(now / 10 ** Math.floor(Math.log10(now * 1.0001)));
    this.setSpeed(up ? now * (first === 2 ? 2.5 : 2) : now / (first === 5 ? 2.5 : 2));
  }

  private fillTransport(): void {
    const slider = byId<HTMLInputElement>('time');
    slider.min = String(this.result.start);
    slider.max = String(this.result.end);
    const marks = byId('marks');
    marks.replaceChildren();
    const { events, start, end } = this.result;
    if (events.length > 300) return;
    for (const event of events) {
      const mark = element('i', { title: `${event.name} at ${readable(event.t, 7)} s` });
      mark.style.left = `${(100 * (event.t - start)) / (end - start || 1)}%`;
      marks.append(mark);
    }
  }

  // ---- plots ---------------------------------------------------------------------------------------------------

  setRange([a, b]: [number, number]): void {
    const { start, end } = this.result;
    const least = (end - start) * 1e-7;
    let low = a;
    let high = Math.max(b, a + least);
    if (high - low >= end - start) [low, high] = [start, end];
    else if (low < start) [low, high] = [start, start + high - low];
    else if (high > end) [low, high] = [end - (high - low), end];
    this.state.range = low <= start && high >= end ? null : [low, high];
    this.plots.refresh();
    this.noteState();
  }

  private rebuildPlots(): void {
    this.plots.rebuild();
    this.noteState();
  }

  // ---- looks ---------------------------------------------------------------------------------------------------

  private applyTheme(): void {
    const wanted = this.state.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    document.documentElement.dataset['theme'] = wanted;
    this.palette = wanted === 'dark' ? dark : light;
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.state.theme = theme;
    this.applyTheme();
    const camera = this.cameraNumbers();
    this.fillStage();
    this.restoreCamera(camera);
    this.rebuildPlots();
    this.updateControls();
    this.touch();
  }

  private cameraNumbers(): number[] {
    const { stage } = this;
    return stage ? [...stage.camera.position.toArray(), ...stage.controls.target.toArray()] : [];
  }
  private restoreCamera(numbers: number[]): void {
    if (!this.stage || numbers.length !== 6) return;
    this.stage.camera.position.fromArray(numbers);
    this.stage.controls.target.fromArray(numbers, 3);
    this.stage.controls.update();
  }

  resize(): void {
    this.stage?.resize();
    this.plots.resize();
  }

  /** Buttons and tabs say what is chosen. */
  private updateControls(): void {
    const { state } = this;
    const press = (id: string, on: boolean): void => byId(id)?.setAttribute('aria-pressed', String(on));
    for (const tab of byId('views').children) tab.setAttribute('aria-selected', String(tab.id === `view-${state.view}`));
    for (const flag of flags) press(`show-${flag}`, state.looks[flag]);
    press('frame-space', state.looks.frame === 'space');
    press('frame-body', state.looks.frame === 'body');
    press('loop', state.loop);
    this.stage?.sharpen(!state.playing);
    const play = byId('play');
    play.textContent = state.playing ? '❚❚' : '▶';
    play.setAttribute('aria-label', state.playing ? 'pause' : 'play');
    byId('speed').textContent = `${readable(state.speed, 3)}×`;
    byId<HTMLSelectElement>('sequence').value = state.looks.sequence;
    byId('cans-tools').hidden = state.view !== 'cans';
    byId('show-follow').hidden = !this.result?.bodies[this.picked]?.r;
    if (this.result) this.updateBodies();
    byId('show-tau').hidden = byId('show-clear').hidden = state.view !== 'motion';
    byId('stage').dataset['view'] = state.view;
    this.noteState();
  }

  private updateBodies(): void {
    const { result, kind } = this;
    const tab = document.querySelector<HTMLElement>('#side-tabs [data-panel=bodies]')!;
    tab.hidden = result.bodies.length < 2 && result.joints.length === 0;
    tab.textContent = kind.bodies.name;
    if (tab.hidden && tab.getAttribute('aria-selected') === 'true') this.showPanel('plots');
    fillBodies(this, kind.bodies.choice);
    byId('picked').textContent = bodyWords(result, this.picked, kind.overlay ?? false);
  }

  private noteState(): void {
    clearTimeout(this.fragmentTimer);
    if (!this.result || this.state.playing) return;
    this.fragmentTimer = window.setTimeout(() => history.replaceState(null, '', `#${this.fragment()}`), 300);
  }
  fragment(): string {
    this.state.camera = this.stage ? this.cameraNumbers() : null;
    return toFragment(this.state);
  }

  // ---- frames --------------------------------------------------------------------------------------------------

  /** Something changed: a frame is due. */
  touch(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  start(): void {
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    const { state } = this;
    this.dirty = false;
    const begin = performance.now();
    if (state.playing) {
      if (this.lastFrame > 0) {
        const passed = now - this.lastFrame;
        state.t += (Math.min(passed, 250) / 1000) * state.speed;
        this.stage?.pace(passed);
      }
      this.lastFrame = now;
      const { start, end } = this.result;
      if (state.t > end) {
        if (state.loop) state.t = start + ((state.t - start) % (end - start || 1));
        else {
          state.t = end;
          this.play(false);
        }
      }
    }
    this.stage?.draw(state.t, state.looks);
    this.plots.setTime(state.t);
    this.updateReadout();
    this.work.push(performance.now() - begin);
    if (this.work.length > 600) this.work.shift();
    if (state.playing) this.touch();
    else this.noteState();
  }

  private updateReadout(): void {
    const { state, result } = this;
    const slider = byId<HTMLInputElement>('time');
    slider.value = String(state.t);
    slider.setAttribute('aria-valuetext', `${result.clock(state.t)} seconds`);
    byId('clock').textContent = `${result.clock(state.t)} s`;
    const track = result.bodies[this.picked];
    byId('values').hidden = !track;
    if (!track) return;
    const pose = track.pose(state.t);
    const known = Number.isFinite(pose.e_NB[0]);
    byId('no-attitude').hidden = known;
    const body = state.looks.frame === 'body';
    const components = (v_N: Vec | null): Vec | null => (body && v_N ? rotateBack(pose.e_NB, v_N) : v_N);
    /** What is not known is no zero; rounding beside a large component is one. */
    const show = (id: string, v: Vec | null): void => {
      const cells = byId(id).children;
      const least = v ? 1e-13 * Math.hypot(...v) : 0;
      for (let k = 0; k < 3; k++) cells[k + 1]!.textContent = v ? readable(Math.abs(v[k]!) < least ? 0 : v[k]!, 4) : '–';
    };
    show('value-w', track.w && (body ? pose.w_B : pose.w_N));
    show('value-h', components(pose.h_N));
    show('value-tau', components(pose.tau_N));
    byId('value-frame').textContent = body ? 'body components' : 'space components';
    const view = this.stage?.view;
    if (view instanceof CansView && view.gauge && known) {
      const { determinant, distance, angles, symbols } = view.gauge;
      const degrees = (distance * 180) / Math.PI;
      byId('gauge-fill').style.width = `${((100 * degrees) / 90).toFixed(1)}%`;
      byId('gauge').classList.toggle('lock', degrees < 10);
      byId('gauge').setAttribute('aria-valuenow', degrees.toFixed(1));
      byId('gauge-text').textContent = `${degrees < 0.6 ? 'gimbal lock' : `${degrees.toFixed(1)}° from lock`}, det ${readable(determinant, 2)}`;
      byId('angles').textContent = symbols.map((s, n) => `${s} ${((angles[n]! * 180) / Math.PI).toFixed(1)}°`).join('   ');
    }
    if (view && !state.playing) byId('canvas').setAttribute('aria-label', `${view.describe()} At ${readable(state.t, 5)} seconds.`);
  }

  // ---- hands ---------------------------------------------------------------------------------------------------

  private listen(): void {
    const on = (id: string, act: () => void): void => byId(id).addEventListener('click', act);
    on('play', () => this.play());
    on('back', () => this.step(-1));
    on('forth', () => this.step(1));
    on('slower', () => this.changeSpeed(false));
    on('faster', () => this.changeSpeed(true));
    on('loop', () => this.toggleLoop());
    on('frame-space', () => this.setFrame('space'));
    on('frame-body', () => this.setFrame('body'));
    on('help-button', () => this.help());
    on('theme', () => this.setTheme(this.palette.dark ? 'light' : 'dark'));
    on('link', () => void this.copyLink());
    on('open', () => byId<HTMLInputElement>('file').click());
    on('picture', () => this.savePicture());
    for (const flag of flags) on(`show-${flag}`, () => this.toggle(flag));
    const time = byId<HTMLInputElement>('time');
    time.addEventListener('input', () => {
      if (this.state.playing) this.play(false);
      this.setTime(Number(time.value));
    });
    const sequence = byId<HTMLSelectElement>('sequence');
    for (const one of sequences) sequence.append(element('option', { value: one.name }, one.name));
    sequence.addEventListener('change', () => this.setSequence(sequence.value));
    const camera = byId<HTMLSelectElement>('camera');
    for (const name of Object.keys(eyes)) camera.append(element('option', { value: name }, name === 'start' ? 'from the start' : `along ${name}`));
    camera.addEventListener('change', () => this.lookFrom(camera.value));
    for (const tab of document.querySelectorAll<HTMLElement>('#side-tabs [role=tab]')) {
      tab.addEventListener('click', () => this.showPanel(tab.dataset['panel']!));
    }
    const file = byId<HTMLInputElement>('file');
    file.addEventListener('change', () => void this.openFile(file.files?.[0]));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      void this.openFile(event.dataTransfer?.files[0]);
    });
    byId('canvas').addEventListener('dblclick', (event) => {
      const index = this.stage?.pick(event.clientX, event.clientY) ?? -1;
      if (index < 0) return;
      if (index !== this.picked) {
        this.pick(index);
        return;
      }
      this.state.looks.follow = true;
      if (this.result.mechanism) this.stage!.approach();
      else this.stage!.look('start');
      this.updateControls();
    });
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('pointerdown', () => (this.byKeyboard = false), true);
    addEventListener('resize', () => this.resize());
    new ResizeObserver(() => this.result && this.resize()).observe(byId('main'));
    addEventListener('hashchange', () => this.result && this.open(this.result, location.hash));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      if (!this.state.theme && this.result) this.open(this.result, `#${this.fragment()}`);
    });
  }

  toggleLoop(): void {
    this.state.loop = !this.state.loop;
    this.updateControls();
  }

  showPanel(name: string): void {
    for (const tab of document.querySelectorAll<HTMLElement>('#side-tabs [role=tab]')) {
      const chosen = tab.dataset['panel'] === name;
      tab.setAttribute('aria-selected', String(chosen));
      byId(`panel-${tab.dataset['panel']}`).hidden = !chosen;
    }
    if (name === 'plots') this.resize();
  }

  /** Keys are the page's, but for those that a control needs: a list its arrows, and what was reached by tab or F6 the
   *  space bar and Enter that press it. What was clicked needs none. */
  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === 'Tab' || event.key === 'F6') this.byKeyboard = true;
    const choosing = target.matches('select') && /^(Arrow|Page|Home$|End$|Enter$)/.test(event.key);
    const typing = target.matches('input:not([type=range], [type=checkbox])');
    const pressed = target.matches('button, a, summary, select, input[type=checkbox]') && (event.key === ' ' || event.key === 'Enter');
    const pressing = pressed && (this.byKeyboard || event.key === 'Enter');
    if (byId<HTMLDialogElement>('help').open) {
      if (event.key === 'h' || event.key === 'H' || event.key === '?') this.help();
      return;
    }
    if (choosing || typing || pressing) return;
    const views = this.stage?.available() ?? [];
    const keys: Record<string, () => void> = {
      ' ': () => this.play(),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ArrowUp: () => this.changeSpeed(true),
      ArrowDown: () => this.changeSpeed(false),
      Home: () => this.setTime(this.result.start),
      End: () => this.setTime(this.result.end),
      h: () => this.help(),
      '?': () => this.help(),
      l: () => this.toggleLoop(),
      b: () => this.setFrame(this.state.looks.frame === 'body' ? 'space' : 'body'),
      f: () => this.toggle('follow'),
      g: () => this.toggle('grid'),
      r: () => this.toggle('trail'),
      x: () => this.toggle('clear'),
      t: () => this.setTheme(this.palette.dark ? 'light' : 'dark'),
      c: () => this.nextCamera(),
      n: () => this.nextSequence(),
      p: () => this.pickNext(event.shiftKey ? -1 : 1),
      a: () => this.stage?.orbit(-0.12, 0, 1),
      d: () => this.stage?.orbit(0.12, 0, 1),
      w: () => this.stage?.orbit(0, 0.1, 1),
      s: () => this.stage?.orbit(0, -0.1, 1),
      q: () => this.stage?.orbit(0, 0, 1.12),
      e: () => this.stage?.orbit(0, 0, 1 / 1.12),
      F6: () => this.nextPanel(),
    };
    const act = keys[event.key] ?? keys[event.key.toLowerCase()] ?? (views[Number(event.key) - 1] && (() => this.setView(views[Number(event.key) - 1]!.id)));
    if (!act) return;
    event.preventDefault();
    if (pressed) target.blur(); // some browsers would press it when the key is let go
    act();
  }

  private nextCamera(): void {
    const camera = byId<HTMLSelectElement>('camera');
    camera.selectedIndex = (camera.selectedIndex + 1) % camera.options.length;
    this.lookFrom(camera.value);
  }
  private lookFrom(name: string): void {
    this.stage?.look(name, this.state.looks.frame === 'body');
  }
  private nextSequence(): void {
    const at = sequences.indexOf(sequenceOf(this.state.looks.sequence));
    this.setSequence(sequences[(at + 1) % sequences.length]!.name);
  }
  private nextPanel(): void {
    const panels = ['stage', 'transport', 'side'];
    const at = panels.findIndex((id) => byId(id).contains(document.activeElement));
    byId(panels[(at + 1) % panels.length]!).focus();
  }

  help(): void {
    const help = byId<HTMLDialogElement>('help');
    if (help.open) help.close();
    else help.showModal();
  }

  private async copyLink(): Promise<void> {
    const address = `${location.href.replace(/#.*/, '')}#${this.fragment()}`;
    history.replaceState(null, '', `#${this.fragment()}`);
    try {
      await navigator.clipboard.writeText(address);
      this.say('The link to this moment and view is copied.');
    } catch {
      this.say('The address of this page now holds this moment and view; copy it from there.');
    }
  }

  private savePicture(): void {
    const { stage } = this;
    stage?.draw(this.state.t, this.state.looks);
    stage?.canvas.toBlob((blob) => {
      if (!blob) return;
      const link = element('a', { download: `${this.state.view}.png` });
      link.href = URL.createObjectURL(blob);
      link.click();
    });
  }

  async openFile(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      const result = await readFile(file);
      this.state.camera = null;
      this.open(result, '');
      if (result.assumed.length > 0) this.say(`${result.assumed.join('; ')}.`);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
    }
  }

  say(text: string): void {
    const note = byId('note');
    note.textContent = text;
    note.hidden = false;
    clearTimeout(this.noteTimer);
    this.noteTimer = window.setTimeout(() => (note.hidden = true), 6000);
  }
}

declare global {
  interface Window {
    /** For tests and for measuring. */
    polhode?: { ready: boolean; page: Page | null; error: string | null };
  }
}

async function main(): Promise<void> {
  window.polhode = { ready: false, page: null, error: null };
  document.body.classList.add('alive');
  const page = new Page();
  window.polhode.page = page;
  try {
    const block = byId('data');
    const result = await readBlock(block.textContent ?? '');
    block.remove();
    page.open(result, location.hash);
    page.start();
    window.polhode.ready = true;
  } catch (error) {
    window.polhode.error = error instanceof Error ? error.message : String(error);
    document.body.classList.remove('alive');
    byId('failed').textContent = `The viewer could not show the data of this page: ${window.polhode.error}.`;
  }
}

void main();
