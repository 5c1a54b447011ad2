"""Does with dnspython the jobs given as JSON on standard input, and prints their results as JSON."""
import json
import sys

import dns.message
import dns.name
import dns.tsig


def key_of(job):
    return dns.tsig.Key(dns.name.from_text(job["key"]), bytes.fromhex(job["secret"]), dns.name.from_text(job["algorithm"]))


def again(job):
    """A message read and written again, record by record."""
    message = dns.message.from_wire(bytes.fromhex(job["wire"]), one_rr_per_rrset=True)
    return {"wire": message.to_wire(max_size=65535).hex(), "text": message.to_text(), "opcode": message.opcode(), "rcode": message.rcode()}


def sign(job):
    """Messages signed, as one request or response, or as a stream."""
    wires, macs, context = [], [], None
    for i, wire in enumerate(job["wires"]):
        message = dns.message.from_wire(bytes.fromhex(wire))
        message.request_mac = bytes.fromhex(job["request_mac"]) if i == 0 else b""
        if i % job.get("every", 1) == 0:
            message.use_tsig(key_of(job), fudge=300)
            wires.append(message.to_wire(multi=len(job["wires"]) > 1, tsig_ctx=context, max_size=65535).hex())
            context = message.tsig_ctx
            macs.append(message.mac.hex())
        else:
            data = message.to_wire(max_size=65535)
            context.update(data)
            wires.append(data.hex())
            macs.append("")
    return {"wires": wires, "macs": macs}


def verify(job):
    """The same, checked; the first failure ends it."""
    context, results = None, []
    many = len(job["wires"]) > 1
    for i, wire in enumerate(job["wires"]):
        try:
            message = dns.message.from_wire(
                bytes.fromhex(wire), keyring=key_of(job), request_mac=bytes.fromhex(job["request_mac"]) if i == 0 else b"", xfr=many, tsig_ctx=context, multi=many
            )
        except Exception as error:
            results.append(type(error).__name__)
            break
        results.append("good" if message.had_tsig else "unsigned")
        context = message.tsig_ctx
    return {"results": results}


jobs = {"again": again, "sign": sign, "verify": verify}
output = []
for job in json.load(sys.stdin):
    try:
        output.append(jobs[job["do"]](job))
    except Exception as error:
        output.append({"fault": f"{type(error).__name__}: {error}"})
json.dump(output, sys.stdout)
