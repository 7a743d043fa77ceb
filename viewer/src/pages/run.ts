// A run: its certificate, how it went, and where it comes from.
import { certificate, commands, facts, heading, origin } from '../words';
import type { PageKind } from '.';

export const run: PageKind = {
  id: 'run',
  verdict({ head }) {
    const verdict = head.certificate?.verdict ?? '';
    return {
      text: verdict === '' ? 'no certificate' : `certificate: ${verdict}`,
      look: verdict === 'yes' ? 'yes' : verdict === 'no' ? 'no' : 'open',
    };
  },
  summary(result) {
    const { words } = result.head;
    return [
      ...certificate(result.head.certificate),
      ...(words?.summary?.length ? [heading('How it went'), facts(words.summary)] : []),
      heading('Where it comes from'),
      origin(result),
      ...(words?.commands?.length ? [heading('Make it again, and go on'), commands(words.commands)] : []),
    ];
  },
  bodies: { name: 'Bodies', choice: 'trail' },
  // the end of a chain
  chosen: ({ bodies }) => bodies.slice(-1).map(({ body }) => body.name),
  plots({ joints, mechanism }) {
    if (!mechanism) return ['euler-parameters', 'rate-body', 'multiplier', 'energy_balance_J', 'energy'];
    const first = joints.slice(0, 3).flatMap(({ name }) => [`${name}/angle`, `${name}/place`]);
    return [...first.slice(0, 2), 'energy', 'residuals', 'rate-body', 'energy_balance_J'];
  },
};
