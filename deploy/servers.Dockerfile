# The name servers of compose.yaml, from Debian's packages.
FROM debian:bookworm-slim AS bind
RUN apt-get update && apt-get install -y --no-install-recommends bind9 && rm -rf /var/lib/apt/lists/*
VOLUME /var/cache/bind
EXPOSE 53/udp 53/tcp
CMD ["named", "-g", "-u", "bind", "-c", "/etc/bind/named.conf"]

FROM debian:bookworm-slim AS knot
RUN apt-get update && apt-get install -y --no-install-recommends knot && rm -rf /var/lib/apt/lists/*
VOLUME /var/lib/knot
EXPOSE 53/udp 53/tcp
CMD ["knotd", "-c", "/etc/knot/knot.conf"]
