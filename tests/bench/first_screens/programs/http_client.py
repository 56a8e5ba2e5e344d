"""Asks a local server for 80 pages, one after the other; the server takes 25 ms for each."""
import http.server
import subprocess
import sys
import time
import urllib.request

PAGES, SECONDS = 80, 0.025


class Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(SECONDS)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def serve():
    server = http.server.HTTPServer(("127.0.0.1", 0), Slow)
    print(server.server_port, flush=True)
    server.serve_forever()


def download(port, page):
    with urllib.request.urlopen("http://127.0.0.1:%d/%d" % (port, page)) as answer:  # the cause
        return answer.read()  # the cause


def main():
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True)
    port = int(server.stdout.readline())
    print(sum(len(download(port, page)) for page in range(PAGES)))
    server.terminate()
    server.wait()


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
