using System.ComponentModel.DataAnnotations;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging;

/// <summary>
/// Mutual TLS for every connection of a node: each side shows a certificate signed by the authority, the dialler checks that the
/// listener's is for the host it dialled, and both that the certificate allows its holder the name and the cluster that it claims
/// (<see cref="CertifiedPeer"/>). Files are PEM, and read again when they change, for the connections opened from then on.
/// </summary>
public sealed record TlsOptions
{
    /// <summary>The file with this node's certificate, followed by intermediate certificates if there are any; required.</summary>
    [Required]
    public required string CertificateFile { get; init; }

    /// <summary>The file with the certificate's private key, not encrypted; required.</summary>
    [Required]
    public required string KeyFile { get; init; }

    /// <summary>
    /// The file with the certificates of the authorities that sign this application's peers; required. No others are trusted.
    /// </summary>
    [Required]
    public required string AuthorityFile { get; init; }

    /// <summary>
    /// What says which names a peer's certificate allows it to bear, where its alternative names do not (<see cref="CertifiedPeer"/>), for
    /// example by its subject; null, the default, to go by the alternative names. A peer that is allowed no name is refused. Called in the
    /// middle of handshakes, on several threads at a time, with a certificate that the authority has signed: to be fast.
    /// </summary>
    public Func<X509Certificate2, IReadOnlyList<CertifiedPeer>>? NamesOf { get; init; }

    /// <summary>The name that a listener's certificate must be for; the host of the dialled address when null.</summary>
    [StringLength(255, MinimumLength = 1)]
    public string? ListenerName { get; init; }

    /// <summary>How often, at most, the files are looked at for changes; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan ReloadInterval { get; init; } = TimeSpan.FromSeconds(10);
}
