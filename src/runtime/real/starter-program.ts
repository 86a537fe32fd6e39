/**
 * The program of the starter, in Perl: it forks a child that waits for a start request and executes it, reports the exit status, and forks
 * the next child. A shell cannot do this, because it does not distinguish a signal from a large exit code.
 */
import type { ProcessSpec } from '../processes.ts'

/** Part of most systems; without it there is no starter. */
export const perl = '/usr/bin/perl'

/**
 * It prints one message per line: `p` and the process id of the waiting child, `s` and the wait status of an ended child, and before
 * that `f` and the errno if the exec failed. It ends when its standard input is closed. A child parses a sample request before it waits, so
 * that the kernel copies its memory pages (copy on write) before the real request arrives.
 */
export const starterProgram = `
open(my $report, '>&', \\*STDOUT) or exit 1;
$SIG{FPE} = 'DEFAULT';
sub parse {
  my ($folder, $stdout, $stderr, $count, @rest) = split(/\\0/, $_[0], -1);
  my @words = splice(@rest, 0, $count);
  %ENV = map { split(/=/, $_, 2) } @rest;
  return ($folder, $stdout, $stderr, @words);
}
my $sample = join("\\0", '/', '', '', 1, '', map { "VARIABLE_$_=" . 'x' x 40 } 1 .. 40);
for (;;) {
  my $child = fork();
  defined $child or exit 1;
  if ($child == 0) {
    setpgrp(0, 0);
    parse($sample);
    my $request = '';
    while (length($request) < 8 or length($request) < 8 + hex(substr($request, 0, 8))) {
      sysread(STDIN, $request, 65536, length($request)) or exit 0;
    }
    my ($folder, $stdout, $stderr, @words) = parse(substr($request, 8));
    if (chdir($folder) and open(STDIN, '<', '/dev/null') and sysopen(STDOUT, $stdout, 1) and sysopen(STDERR, $stderr, 1)) {
      exec { $words[0] } @words;
    }
    syswrite($report, 'f' . ($! + 0) . "\\n");
    exit 1;
  }
  setpgrp($child, $child);
  syswrite($report, "p$child\\n");
  waitpid($child, 0);
  my $status = $?;
  my $readable = '';
  vec($readable, fileno(STDIN), 1) = 1;
  my $closed = select($readable, undef, undef, 0);
  syswrite($report, "s$status\\n");
  last if $closed;
}
`

/** Whether the format can hold the request: NUL separates its parts, and the first `=` separates name and value of a variable. */
export function isEncodable({ command, args = [], cwd = '', env }: ProcessSpec): boolean {
  // Searching one long text is much faster than searching many short ones.
  const all = [command, cwd, ...args, ...Object.keys(env), ...Object.values(env)].join('')
  return !all.includes('\0') && !('' in env)
}

/** The length in hexadecimal, then working directory, pipes, the number of words, the words and the environment. */
export function encodeRequest(spec: ProcessSpec, outputs: readonly [stdout: string, stderr: string]): Uint8Array {
  const words = [spec.command, ...(spec.args ?? [])]
  const variables = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`)
  const parts = [spec.cwd ?? process.cwd(), ...outputs, String(words.length), ...words, ...variables]
  const request = Buffer.from(`00000000${parts.join('\0')}`)
  request.write((request.byteLength - 8).toString(16).padStart(8, '0'))
  return request
}
