namespace Geo.Experiments.Messaging;

/// <summary>What a peer process is told before it starts.</summary>
/// <param name="Index">Its number, which is its place on the network; peer 0 loads, in a store every peer does.</param>
/// <param name="Address">Where it listens.</param>
/// <param name="Cell">The cell.</param>
/// <param name="Variant">The variant.</param>
/// <param name="WarmUpSeconds">The time before it measures.</param>
/// <param name="MeasureSeconds">The time that it measures.</param>
/// <param name="CertificateFolder">Where the certificate of the run is; null when connections are not encrypted.</param>
internal sealed record PeerSettings(
    int Index, string Address, Cell Cell, Variant Variant, double WarmUpSeconds, double MeasureSeconds, string? CertificateFolder = null);
