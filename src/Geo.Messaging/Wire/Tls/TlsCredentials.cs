using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging;

/// <summary>What a node shows and what it trusts.</summary>
/// <param name="Own">Its certificate with the intermediate ones.</param>
/// <param name="Authorities">The authorities it trusts.</param>
internal sealed record TlsCredentials(SslStreamCertificateContext Own, X509Certificate2Collection Authorities)
{
    /// <summary>How a remote's certificate is checked: signed by these authorities alone, whatever the machine trusts.</summary>
    public X509ChainPolicy ChainPolicy()
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
        };
        policy.CustomTrustStore.AddRange(Authorities);
        return policy;
    }
}
