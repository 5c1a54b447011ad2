"""Works on zones and record sets through openstacksdk, as programs do; prints what it saw as JSON."""

import json
import sys

import openstack

connection = openstack.connection.Connection(auth_type="none", endpoint=sys.argv[1])
dns = connection.dns
seen = {}

zone = dns.create_zone(name="sdk.example.", email="a@example.org", ttl=300, description="by program")
seen["created"] = [zone.name, zone.status, zone.action, zone.ttl]
seen["found"] = dns.find_zone("sdk.example.").id == zone.id
seen["missing"] = dns.find_zone("missing.example.", ignore_missing=True)
zone = dns.update_zone(zone, ttl=600)
seen["updated"] = [zone.ttl, zone.description]

for i in range(25):
    dns.create_recordset(zone, name=f"n{i}.sdk.example.", type="A", records=["192.0.2.1"])
seen["recordsets"] = [len(list(dns.recordsets(zone))), len(list(dns.recordsets(zone, limit=7)))]
seen["filtered"] = [r.name for r in dns.recordsets(zone, name="n3.sdk.example.")]
one = dns.find_recordset(zone, "n4.sdk.example.")
changed = dns.update_recordset(one, records=["192.0.2.7", "192.0.2.8"], ttl=60)
seen["changed"] = [sorted(changed.records), changed.ttl]
dns.delete_recordset(changed)
seen["deleted"] = dns.find_recordset(zone, "n4.sdk.example.", ignore_missing=True)

for i in range(22):
    dns.create_zone(name=f"z{i}.sdk-more.example.", email="a@example.org")
seen["zones"] = [len(list(dns.zones())), len(list(dns.zones(limit=5))), len(list(dns.zones(name="sdk.example.")))]
try:
    dns.create_zone(name="sdk.example.", email="a@example.org")
except openstack.exceptions.ConflictException as error:
    seen["conflict"] = error.details
dns.delete_zone(zone)
json.dump(seen, sys.stdout)
