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
        return [.. certificate.Extensions.Where(extension => extension.Oid?.Value == AlternativeNames)
            .SelectMany(extension => UrisIn(extension.RawData)).Select(Parse).OfType<CertifiedPeer>()];
    }

    /// <summary>True when the name is that of a peer.</summary>
    public bool Covers(ClusterId cluster, PeerId peer) => cluster == Cluster && (Peer.IsNone || peer == Peer);

    /// <inheritdoc/>
    public override string ToString() =>
        Peer.IsNone ? Cluster.IsNone ? AnyClient : ClusterScheme + Cluster
        : Cluster.IsNone ? PeerScheme + Peer : $"{PeerScheme}{Peer}@{Cluster}";

    private static CertifiedPeer? Parse(string uri)
    {
        try
        {
            return uri == AnyClient ? new CertifiedPeer()
                : uri.StartsWith(ClusterScheme, StringComparison.Ordinal)
                    ? new CertifiedPeer(new ClusterId(uri[ClusterScheme.Length..]), default)
                : !uri.StartsWith(PeerScheme, StringComparison.Ordinal) ? default(CertifiedPeer?)
                : uri[PeerScheme.Length..].Split('@', 2) is [var peer, var cluster]
                    ? new CertifiedPeer(new ClusterId(cluster), new PeerId(peer))
                : new CertifiedPeer(default, new PeerId(uri[PeerScheme.Length..]));
        }
        catch (ArgumentException)
        {
            // Not a name that anybody could bear.
            return null;
        }
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
