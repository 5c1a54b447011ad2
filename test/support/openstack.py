"""Runs commands of the openstack CLI in one process: a JSON list of arguments a line in, [code, out, err] a line out."""
import contextlib
import io
import json
import sys

from openstackclient import shell
from osc_lib.clientmanager import ClientCache, ClientManager

for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = shell.main(["--os-auth-type", "none", "--os-endpoint", sys.argv[1], *json.loads(line)])
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
    # The client of one command would keep its project for the next.
    for cache in vars(ClientManager).values():
        if isinstance(cache, ClientCache):
            cache._handle = None
