declare module 'dns-packet' {
  const dnsPacket: { decode(bytes: Uint8Array): object; encode(packet: object): Uint8Array }
  export default dnsPacket
}
