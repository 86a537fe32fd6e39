/**
 * The program of the starter: it forks a child that waits for an order and becomes what the order says, tells how that ended, and forks the next
 * one. The system's own status is what counts here, which a shell cannot tell: to it a signal and a large code are the same.
 */
import type { ProcessSpec } from '../processes.ts'

/** Part of most systems; where it is not, there is no starter. */
export const perl = '/usr/bin/perl'

/**
 * It tells, one to a line: `p` and the number of the child that waits, `s` and the status of the one that has ended, before that `f` and the
 * number of the error if it could not become what it should. It ends when there is nobody to order any more, which is all that can be
 * heard on its input between two orders. A child rehearses before it waits: the system gives it memory of its own only when it writes there, and
 * that takes time which nobody has to wait for yet.
 */
export const starterProgram = `
open(my $tell, '>&', \\*STDOUT) or exit 1;
$SIG{FPE} = 'DEFAULT';
sub heed {
  my ($folder, $stdout, $stderr, $count, @rest) = split(/\\0/, $_[0], -1);
  my @words = splice(@rest, 0, $count);
  %ENV = map { split(/=/, $_, 2) } @rest;
  return ($folder, $stdout, $stderr, @words);
}
my $rehearsal = join("\\0", '/', '', '', 1, '', map { "VARIABLE_$_=" . 'x' x 40 } 1 .. 40);
for (;;) {
  my $child = fork();
  defined $child or exit 1;
  if ($child == 0) {
    setpgrp(0, 0);
    heed($rehearsal);
    my $order = '';
    while (length($order) < 8 or length($order) < 8 + hex(substr($order, 0, 8))) {
      sysread(STDIN, $order, 65536, length($order)) or exit 0;
    }
    my ($folder, $stdout, $stderr, @words) = heed(substr($order, 8));
    if (chdir($folder) and open(STDIN, '<', '/dev/null') and sysopen(STDOUT, $stdout, 1) and sysopen(STDERR, $stderr, 1)) {
      exec { $words[0] } @words;
    }
    syswrite($tell, 'f' . ($! + 0) . "\\n");
    exit 1;
  }
  setpgrp($child, $child);
  syswrite($tell, "p$child\\n");
  waitpid($child, 0);
  my $status = $?;
  my $heard = '';
  vec($heard, fileno(STDIN), 1) = 1;
  my $over = select($heard, undef, undef, 0);
  syswrite($tell, "s$status\\n");
  last if $over;
}
`

/** Whether an order can say all of it: its parts are separated by a zero, names and values by the first sign of equality. */
export function canBeOrdered({ command, args = [], cwd = '', env }: ProcessSpec): boolean {
  // One long text is looked through much quicker than many short ones.
  const all = [command, cwd, ...args, ...Object.keys(env), ...Object.values(env)].join('')
  return !all.includes('\0') && !('' in env)
}

/** The length of what follows, and where, to which pipes, what with how many words, in which environment. */
export function orderOf(spec: ProcessSpec, outputs: readonly [stdout: string, stderr: string]): Uint8Array {
  const words = [spec.command, ...(spec.args ?? [])]
  const variables = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`)
  const parts = [spec.cwd ?? process.cwd(), ...outputs, String(words.length), ...words, ...variables]
  const order = Buffer.from(`00000000${parts.join('\0')}`)
  order.write((order.byteLength - 8).toString(16).padStart(8, '0'))
  return order
}
