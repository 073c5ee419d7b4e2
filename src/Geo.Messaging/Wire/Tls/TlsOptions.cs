using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging;

/// <summary>
/// Mutual TLS for every connection of a node: each side shows a certificate signed by the authority, and the dialler checks that the
/// listener's is for the host it dialled. Files are PEM, and read again when they change, for the connections opened from then on.
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

    /// <summary>The name that a listener's certificate must be for; the host of the dialled address when null.</summary>
    [StringLength(255, MinimumLength = 1)]
    public string? ListenerName { get; init; }

    /// <summary>How often, at most, the files are looked at for changes; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan ReloadInterval { get; init; } = TimeSpan.FromSeconds(10);
}
