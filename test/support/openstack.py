"""Runs commands of the openstack CLI in one process: a JSON list of arguments a line in, [code, out, err] a line out."""
import contextlib
import io
import json
import sys

from openstackclient import shell

for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = shell.main(["--os-auth-type", "none", "--os-endpoint", sys.argv[1], *json.loads(line)])
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
