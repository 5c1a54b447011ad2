/** A key and a self-signed certificate of nsd and localhost for servers inside tests; they guard nothing. */
export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYpUd1HEoEQkiMwLn
UVlSNfMofk9U4Tf98z57SoslS4GhRANCAAQOPlypgoBbRNxgeqAElA/+I4MgGoXE
wYYyRv/pxl1J9hTk77CCWT7iftAvlhpXOOz57ZXjadEKvi/6PYl2nrpl
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBjTCCATSgAwIBAgIUKeCxp4EWqTzIvmCMwguqWBx61JkwCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDbnNkMCAXDTI2MTExNTA2MjE1NFoYDzIxMjYxMDIyMDYyMTU0
WjAOMQwwCgYDVQQDDANuc2QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQOPlyp
goBbRNxgeqAElA/+I4MgGoXEwYYyRv/pxl1J9hTk77CCWT7iftAvlhpXOOz57ZXj
adEKvi/6PYl2nrplo24wbDAdBgNVHQ4EFgQU9kB23FJBzwlVIvByFQP1X4sX/akw
HwYDVR0jBBgwFoAU9kB23FJBzwlVIvByFQP1X4sX/akwDwYDVR0TAQH/BAUwAwEB
/zAZBgNVHREEEjAQggNuc2SCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNHADBEAiA6
q8HyK29DJSlSJYAgcTJFOi10aX+kmlwGLD5wnfcrKAIgbhgZOMQ1rWE+MkLIdlyW
DgTPN+GQmhQcGDhwz++JBWc=
-----END CERTIFICATE-----
`,
} as const
