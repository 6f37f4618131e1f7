#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A server of debug files, for tests: serves the folder `files' on a port that it prints.

Each request is a line of the file `asked'.  If there is a file `silent', none is answered; if
there is a file `huge', each answer claims to be as long as no program is.
"""
import http.server
import os
import threading


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory='files')

    def huge(self):
        self.send_response(200)
        self.send_header('Content-Length', str(1 << 40))
        self.end_headers()
        while True:
            self.wfile.write(bytes(1 << 16))

    def do_GET(self):
        with open('asked', 'a') as asked:
            print(self.path, file=asked)
        if os.path.exists('silent'):
            threading.Event().wait()
        if os.path.exists('huge'):
            self.huge()
        super().do_GET()


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
