using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging;

/// <summary>
/// A name that a certificate allows its holder to bear. In a certificate it is a URI among the subject's alternative names:
/// <c>geo-cluster:eu</c> for any peer of a cluster, <c>geo-peer:eu/1@eu</c> for one peer of it, <c>geo-client:*</c> for any client and
/// <c>geo-peer:backup</c> for one client.
/// </summary>
/// <param name="Cluster">The cluster; none for a client.</param>
/// <param name="Peer">The peer; none for any of the cluster, or any client.</param>
public readonly record struct CertifiedPeer(ClusterId Cluster, PeerId Peer)
{
    private const string ClusterScheme = "geo-cluster:";
    private const string PeerScheme = "geo-peer:";
    private const string AnyClient = "geo-client:*";
    private const string AlternativeNames = "2.5.29.17";
    private static readonly Asn1Tag UriTag = new(TagClass.ContextSpecific, 6);

    /// <summary>The names among a certificate's alternative names; others are passed over.</summary>
    /// <exception cref="CryptographicException">The alternative names are damaged.</exception>
    public static IReadOnlyList<CertifiedPeer> NamedIn(X509Certificate2 certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        List<CertifiedPeer> names = [];
        foreach (var extension in certificate.Extensions.Where(extension => extension.Oid?.Value == AlternativeNames))
        {
            foreach (var uri in UrisIn(extension.RawData))
            {
                if (TryParse(uri, out var name))
                {
                    names.Add(name);
                }
            }
        }

        return names;
    }

    /// <summary>True when the name is that of a peer.</summary>
    public bool Covers(ClusterId cluster, PeerId peer) => cluster == Cluster && (Peer.IsNone || peer == Peer);

    /// <inheritdoc/>
    public override string ToString() =>
        Peer.IsNone ? Cluster.IsNone ? AnyClient : ClusterScheme + Cluster
        : Cluster.IsNone ? PeerScheme + Peer : $"{PeerScheme}{Peer}@{Cluster}";

    private static bool TryParse(string uri, out CertifiedPeer name)
    {
        name = default;
        try
        {
            if (uri.StartsWith(ClusterScheme, StringComparison.Ordinal))
            {
                name = new(new ClusterId(uri[ClusterScheme.Length..]), default);
                return true;
            }

            if (uri.StartsWith(PeerScheme, StringComparison.Ordinal))
            {
                var at = uri.IndexOf('@', StringComparison.Ordinal);
                name = at < 0
                    ? new(default, new PeerId(uri[PeerScheme.Length..]))
                    : new(new ClusterId(uri[(at + 1)..]), new PeerId(uri[PeerScheme.Length..at]));
                return true;
            }
        }
        catch (ArgumentException)
        {
            // Not a name that anybody could bear.
            return false;
        }

        return uri == AnyClient;
    }

    private static List<string> UrisIn(byte[] names)
    {
        List<string> uris = [];
        try
        {
            var all = new AsnReader(names, AsnEncodingRules.DER).ReadSequence();
            while (all.HasData)
            {
                if (all.PeekTag().HasSameClassAndValue(UriTag))
                {
                    uris.Add(all.ReadCharacterString(UniversalTagNumber.IA5String, UriTag));
                }
                else
                {
                    all.ReadEncodedValue();
                }
            }
        }
        catch (AsnContentException e)
        {
            throw new CryptographicException("The certificate's alternative names are damaged.", e);
        }

        return uris;
    }
}
