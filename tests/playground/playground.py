#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""playground.py BUILD_DIR [CHROMIUM]: who is refused, what a program may do, and that the server lives on. With CHROMIUM and node the page
itself runs a program, too."""
import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import time

vtegra = os.path.join(sys.argv[1], 'bin', 'vtegra')
chromium = sys.argv[2] if len(sys.argv) > 2 and os.path.exists(sys.argv[2]) else None
SECONDS = 5
failed = []


def check(name, good, seen=''):
    if not good:
        failed.append(name)
        print(f'FAIL {name}: {str(seen)[:400]}')


if subprocess.run(['bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true'], capture_output=True).returncode:
    print('skipped: bwrap cannot make a sandbox here')
    sys.exit(77)

server = subprocess.Popen([vtegra, 'playground', '--seconds', str(SECONDS)], stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().strip()
found = re.fullmatch(r'http://127\.0\.0\.1:(\d+)/#playground&token=([0-9a-f]{32})', address)
if not found:
    sys.exit(f'FAIL: the address is "{address}"')
port, token = int(found[1]), found[2]
here = f'http://127.0.0.1:{port}'


def ask(method, path, body=None, **headers):
    c = http.client.HTTPConnection('127.0.0.1', port, timeout=120)
    c.request(method, path, body, {k.replace('_', '-'): v for k, v in headers.items() if v is not None})
    r = c.getresponse()
    return r.status, r.read()


def post(body, **headers):
    headers = {'Origin': here, 'X_Vtegra_Token': token, **headers}
    status, text = ask('POST', '/run', body if isinstance(body, str) else json.dumps(body), **headers)
    return status, json.loads(text)


def run(source, soc='orin', **more):
    status, answer = post({'source': source, 'soc': soc, **more})
    check('a program is taken', status == 200, answer)
    return answer


BUG = '''#include <cstdio>
__global__ void scale(int *a) { a[threadIdx.x] *= 2; }
int main() {
    int *a;
    cudaMallocHost(&a, 256);
    for (int i = 0; i < 64; i++) a[i] = i;
    scale<<<1, 64>>>(a);
    printf("%d\\n", a[21]);
}
'''

try:
    status, page = ask('GET', '/')
    check('the page', status == 200 and b'id="playground">here' in page and token.encode() not in page, status)
    # Who is refused: a name that was led here, another site's page, no page at all, another token.
    check('Host', ask('GET', '/', Host='example.org')[0] == 403)
    for name, headers in (('Origin', {'Origin': 'http://example.org'}), ('no Origin', {'Origin': None}), ('token', {'X_Vtegra_Token': '0' * 32}),
                          ('no token', {'X_Vtegra_Token': None}), ('https', {'Origin': f'https://127.0.0.1:{port}'})):
        status, answer = post({'source': BUG}, **headers)
        check(name, status == 403 and answer['error'], (status, answer))
    for name, body in (('no JSON', '{"source":'), ('a list', '[]'), ('brackets', '[' * 10000), ('no program', {}), ('a number', {'source': 7}),
                       ('a path', {'source': BUG, 'soc': './mine.profile'}), ('an option', {'source': BUG, 'soc': '--help'}), ('policy', {'source': BUG, 'policy': 'x'})):
        status, answer = post(body)
        check(name, status == 400 and answer['error'], (status, answer))
    check('too long', post({'source': 'x' * (600 << 10)})[0] == 413)
    check('another path', ask('GET', '/../etc/passwd')[0] == 404)

    answer = run(BUG, 'tx2')
    trace = base64.b64decode(answer['data'] or '')
    check('a mistake', answer['built'] and trace.startswith(b'# vtegra trace') and b'race' in trace and b'play.cu:8' in trace, answer['said'])
    answer = run(BUG, policy='seeded', seed=7)
    check('a seed', b'seed=7' in base64.b64decode(answer['data'] or ''), answer['said'])
    answer = run('int main( {')
    check('no program', not answer['built'] and 'play.cu:1' in answer['said'] and not answer['data'], answer)

    # What a program may not do: limits and a sentence.
    begun = time.time()
    answer = run('#include <unistd.h>\nint main() { for (;;) fork(); }')
    check('forks', answer['status'] == -1 and 'stopped after' in answer['over'] and time.time() - begun < 60, answer)
    answer = run('int main() { for (volatile int x = 0;; x++); }')
    check('never ends', answer['status'] == -1 and 'stopped after' in answer['over'], answer)
    answer = run('#include <cstdio>\nint main() { printf("%d %d\\n", fopen("/tmp/vtegra-playground", "w") != nullptr, fopen("mine", "w") != nullptr); }')
    check('writes files', '0 1' in answer['said'] and not os.path.exists('/tmp/vtegra-playground'), answer)
    answer = run('#include <cstdio>\n#include <cstdlib>\nint main() { static char b[1 << 20]; for (FILE *f = fopen("mine", "w");;) fwrite(b, 1, sizeof b, f); }')
    check('fills the disk', answer['status'] == -1 and 'MiB' in answer['over'] or 'stopped after' in answer['over'], answer)
    answer = run('#include <cstdio>\nint main() { for (int i = 0; i < 100000; i++) puts("one line of many, all of them alike"); }')
    check('prints much', len(answer['said']) <= 64 << 10 and 'KiB' in answer['over'], answer['over'])
    answer = run('#include <sys/socket.h>\n#include <netinet/in.h>\n#include <arpa/inet.h>\n#include <cstdio>\nint main() { sockaddr_in a = {}; a.sin_family = AF_INET;'
                 f'a.sin_port = htons({port}); a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);'
                 'printf("connect %d\\n", connect(socket(AF_INET, SOCK_STREAM, 0), (sockaddr *)&a, sizeof a)); }')
    check('the network', 'connect -1' in answer['said'], answer)
    check('the page lives on', ask('GET', '/')[0] == 200)
    left = [f for f in os.listdir('/tmp') if f.startswith('vtegra-play-')]
    check('nothing is left', not left, left)

    if chromium and shutil.which('node'):
        page = subprocess.run(['node', os.path.join(os.path.dirname(os.path.abspath(__file__)), 'page.js'), chromium, address], capture_output=True, text=True, timeout=200)
        check('the page runs a program', page.returncode == 0, page.stdout + page.stderr)
finally:
    server.terminate()
    server.wait(30)
print('failed: ' + ', '.join(failed) if failed else 'as expected')
sys.exit(bool(failed))
